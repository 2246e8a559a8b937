// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of lower(): operands and what a function is made of (lower.cpp), memory
// (lower_memory.cpp), the stack (lower_stack.cpp), control flow and calls (lower_control.cpp), and
// warp-level instructions and barriers (lower_warp.cpp).
#pragma once

#include <llvm/IR/DIBuilder.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/operands.h"
#include "jit/context.h"
#include "jit/llvm/lower/semantics.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

using ir::Operand;
using ir::OperandKind;
using isa::SemId;
using isa::SemKind;
using isa::Type;

inline bool is_predicate(Type type) { return type == Type::pred; }
inline unsigned bits_of(Type type) {
  return is_predicate(type) ? 1 : unsigned(isa::type_info(type).bits);
}
inline bool is_signed(Type type) { return isa::type_info(type).cls == isa::TypeClass::signed_; }

/// What all functions of a kernel share.
struct Shared {
  const Request& request;
  ScalarKernel& kernel;
  llvm::LLVMContext& context;
  llvm::Module& module;
  Semantics& semantics;
  llvm::DIBuilder debug;
  llvm::DIFile* file = nullptr;
  std::map<u32, llvm::Function*> functions;
  std::set<u32> pointed;  ///< functions whose address is taken
  bool unusual_barriers = false;
};

/// Whether the instruction is a barrier other than a wait of all threads at a constant number.
bool is_unusual_barrier(const ir::Function& f, const ir::Inst& inst);

/// The numbers of functions whose address is taken.
std::set<u32> find_pointed(const ir::Module& module);

class FunctionLowering {
 public:
  FunctionLowering(Shared& shared, u32 id)
      : shared_(shared),
        id_(id),
        f_(shared.request.module->functions[id]),
        builder_(shared.context),
        entry_builder_(shared.context) {}

  std::string run();

 private:
  llvm::Type* integer(unsigned bits) { return builder_.getIntNTy(bits); }
  llvm::Value* constant(u32 value) { return builder_.getInt32(value); }

  llvm::AllocaInst* variable(llvm::Type* type, const std::string& name) {
    return entry_builder_.CreateAlloca(type, nullptr, name);
  }
  llvm::Value* emit(MachineOp op, llvm::Type* result, llvm::ArrayRef<llvm::Value*> operands,
                    const std::string& types = {}) {
    return call_machine(builder_, op, result, operands, types);
  }
  llvm::Value* context_field(std::size_t offset, unsigned bits) {
    return emit(bits == 64 ? MachineOp::context_i64 : MachineOp::context_i32, integer(bits),
                {constant(static_cast<u32>(offset))});
  }

  u32 site() {
    Site site;
    if (!f_.insts.empty()) site.sem = inst_->get_form().sem_id;
    site.function = id_;
    site.inst = inst_index_;
    if (!f_.insts.empty()) site.space = static_cast<ir::Space>(inst_->space);
    return shared_.kernel.add_site(site);
  }
  Site& site_of(u32 number) { return shared_.kernel.sites[number]; }

  const Operand& operand(u32 index) const { return ir::operand_of(f_, *inst_, index); }
  const Operand& operand(std::string_view name) const { return ir::operand_of(f_, *inst_, name); }
  u8 slot(std::string_view name) const { return ir::slot_of(*inst_, name); }
  std::span<const Operand> elements(const Operand& operand) const {
    return ir::elements_of(f_, operand);
  }

  llvm::Value* resize(llvm::Value* value, unsigned bits, bool sign) {
    return sign ? builder_.CreateSExtOrTrunc(value, integer(bits))
                : builder_.CreateZExtOrTrunc(value, integer(bits));
  }
  llvm::Value* special(const Operand& operand);
  llvm::Value* symbol(u32 number);
  bool is_shared_variable(const Operand& operand) const;
  llvm::Value* first_shared(unsigned bits);
  llvm::Value* from_shared_address(llvm::Value* address);
  llvm::Value* to_shared_address(llvm::Value* address);
  llvm::Value* symbol_address(const Operand& operand);
  llvm::Value* value(const Operand& operand);
  llvm::Value* address(const Operand& operand) {
    return address(operand, static_cast<ir::Space>(inst_->space));
  }
  llvm::Value* address(const Operand& operand, ir::Space space);
  void write(const Operand& to, llvm::Value* value);
  bool lies_in_parameters(u64 offset, u64 bytes) const;
  llvm::Value* local_storage(const Operand& operand);
  bool in_memory(u32 local) const {
    return f_.locals[local].space == ir::Space::local || indexed_[local];
  }

  void fail(std::string why) {
    if (why_.empty()) {
      why_ = fmt::format("{}:{}: {}", shared_.request.module->name,
                         inst_ ? inst_->at.line : f_.at.line, std::move(why));
    }
  }

  static std::vector<u64> formal_sizes(const ir::Function& function);
  llvm::Value* local_address(u32 local, u64 distance);
  void find_indexed();
  void lay_out_locals();
  void find_blocks();
  void take_formals();
  void give_returns();
  void copy_local(u32 local, llvm::Value* place, bool to_memory);
  void instruction();
  void lane_function();
  void warp_function();
  void step(MachineOp what);
  std::vector<llvm::Value*> registers_read();
  void emit_step(MachineOp what, u32 site, std::vector<llvm::Value*> operands);
  void row_access(const Operand& moved, bool loads);
  // One for each handler that is made LLVM IR here.
#define HEDDLE_LOWERED(name) void name();
#include "jit/llvm/lower/lowered.def"
#undef HEDDLE_LOWERED
  std::vector<llvm::Value*> join(const std::vector<llvm::Value*>& words, unsigned bits);
  std::vector<llvm::Value*> split(const std::vector<llvm::Value*>& numbers, unsigned bits);
  ir::Space space_of_access(const Operand& address) const;
  u32 access_site(const Operand& address, unsigned bits, std::size_t words);
  bool is_beyond() const;
  struct Place {
    llvm::Value* at;
    u64 size;
  };
  /// What a call passes: places of return values, then of arguments.
  struct Call {
    std::vector<Place> places;
    std::size_t returns = 0;
    std::vector<std::pair<const Operand*, llvm::AllocaInst*>> returned;  ///< still to be written
  };
  llvm::AllocaInst* bytes(u64 size) {
    auto* place =
        variable(llvm::ArrayType::get(builder_.getInt8Ty(), std::max<u64>(size, 1)), "argument");
    place->setAlignment(llvm::Align(16));
    return place;
  }
  Call gather_arguments();
  void call_one(u32 id, const Call& call);
  bool matches(u32 id, const Call& call) const;
  void call_below(const ir::Function& callee, const Call& call);
  void call_through(const Operand& pointer, const Call& call);
  llvm::Value* function_address(u32 id);
  void barrier();
  void read_modify_write();
  void system_call(const ir::Function& callee);
  llvm::Value* stack_pointer();
  void set_stack_pointer(llvm::Value* offset);
  void begin_stack();
  void give_back_stack();
  void trap_unless(llvm::Value* fits, llvm::Value* pointer);

  Shared& shared_;
  const u32 id_;
  const ir::Function& f_;
  llvm::Function* function_ = nullptr;
  Recursive* recursive_ = nullptr;  ///< of a recursive function; else null
  llvm::IRBuilder<> builder_, entry_builder_;
  std::vector<llvm::AllocaInst*> registers_;
  std::vector<bool> indexed_;         // .param variables that do not stay values
  std::vector<llvm::Value*> locals_;  // storage of .param variables that do
  // For other .param variables, and .local variables: indices of ScalarKernel::locals; in a
  // recursive function, offsets from its activation.
  std::vector<u64> local_places_;
  std::vector<llvm::BasicBlock*> blocks_;               // by instruction: where a block begins
  llvm::BasicBlock *exit_ = nullptr, *gone_ = nullptr;  ///< of the function; of the kernel
  std::vector<std::pair<const ir::Parameter*, llvm::Value*>> returns_;
  llvm::AllocaInst* stack_at_entry_ = nullptr;  ///< of a function that moves the stack pointer
  const ir::Inst* inst_ = nullptr;
  u32 inst_index_ = 0;
  std::string why_;
};

}  // namespace heddle::jit
