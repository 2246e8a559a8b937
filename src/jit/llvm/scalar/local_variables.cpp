// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local variables become values if each access to them is known: compilers that do not optimise
// keep all variables in local memory. The others get places in the threads' local memory.
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "jit/llvm/scalar.h"

namespace heddle::jit {
namespace {

constexpr u32 kNone = ~u32{0};

/// Larger variables stay in memory, so that code does not become very long.
constexpr u64 kMostBytes = 4096;

/// An address as a sum of a variable's beginning and an offset.
struct Sum {
  u32 variable = kNone;  ///< its offset in the thread's local memory
  int bases = 0;         ///< plus the address of that memory, so many times
  u64 offset = 0;
};

u32 number_of(const llvm::CallInst& local) {
  return static_cast<u32>(llvm::cast<llvm::ConstantInt>(local.getArgOperand(0))->getZExtValue());
}

/// The value as such a sum, if it is one. `left`: how many more values are looked at, since the
/// operands of a tree are exponentially many in its depth.
std::optional<Sum> sum_of(const llvm::Value* value, unsigned& left) {
  if (left == 0) return std::nullopt;
  --left;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
    return Sum{kNone, 0, number->getZExtValue()};
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(value);
  if (!inst || !value->getType()->isIntegerTy(64)) return std::nullopt;
  const MachineOp op = machine_op(*inst);
  if (op == MachineOp::local) return Sum{number_of(llvm::cast<llvm::CallInst>(*inst)), 0, 0};
  if (op == MachineOp::local_base) return Sum{kNone, 1, 0};
  const bool adds = inst->getOpcode() == llvm::Instruction::Add;
  if (!adds && inst->getOpcode() != llvm::Instruction::Sub) return std::nullopt;
  const auto a = sum_of(inst->getOperand(0), left);
  const auto b = a ? sum_of(inst->getOperand(1), left) : std::nullopt;
  if (!b || (b->variable != kNone && (!adds || a->variable != kNone))) return std::nullopt;
  return Sum{std::min(a->variable, b->variable), adds ? a->bases + b->bases : a->bases - b->bases,
             adds ? a->offset + b->offset : a->offset - b->offset};
}

std::optional<Sum> sum_of(const llvm::Value* value) {
  unsigned most = 256;
  return sum_of(value, most);
}

class Keeper {
 public:
  explicit Keeper(ScalarKernel& kernel) : kernel_(kernel) {}
  bool run();

 private:
  struct Variable {
    std::vector<llvm::CallInst*> begins;    ///< calls of heddle.local
    std::vector<llvm::CallInst*> accesses;  ///< all of them
  };
  bool find_accesses(u32 number, Variable& variable) const;
  void keep(u32 number, const Variable& variable);

  ScalarKernel& kernel_;
};

/// False: an access is not known, or extends beyond the variable.
bool Keeper::find_accesses(u32 number, Variable& variable) const {
  const Local& local = kernel_.locals[number];
  std::vector<llvm::Instruction*> addresses(variable.begins.begin(), variable.begins.end());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Sum sum = *sum_of(addresses[i]);
    for (llvm::Use& use : addresses[i]->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (user->isBinaryOp()) {
        if (!sum_of(user)) return false;
        addresses.push_back(user);
        continue;
      }
      const MachineOp op = machine_op(*user);
      if ((op != MachineOp::load && op != MachineOp::store) || use.getOperandNo() != 1)
        return false;
      auto& access = llvm::cast<llvm::CallInst>(*user);
      const Site& site = site_of(access, kernel_.sites);
      const bool generic = site.space == ir::Space::generic;
      const u64 bytes = u64{site.bytes} * site.count;
      if ((!generic && site.space != ir::Space::local) || sum.bases != (generic ? 1 : 0) ||
          bytes > local.bytes || sum.offset > local.bytes - bytes || sum.offset % bytes != 0 ||
          local.align < bytes)
        return false;
      variable.accesses.push_back(&access);
    }
  }
  return true;
}

void Keeper::keep(u32 number, const Variable& variable) {
  const Local& local = kernel_.locals[number];
  llvm::IRBuilder<> builder(&*kernel_.function->getEntryBlock().getFirstInsertionPt());
  auto* storage =
      builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), local.bytes), nullptr, "kept");
  const llvm::Align align(std::max<u64>(local.align, 8));
  storage->setAlignment(align);
  // No read is undefined, whatever a kernel does.
  builder.CreateMemSet(storage, builder.getInt8(0), local.bytes, align);
  for (llvm::CallInst* access : variable.accesses) {
    const Site& site = site_of(*access, kernel_.sites);
    llvm::Value* address = access->getArgOperand(1);
    const u64 offset = sum_of(address)->offset;
    builder.SetInsertPoint(access);
    const auto at = [&](unsigned i) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), storage,
                                                offset + u64{i} * site.bytes);
    };
    const llvm::Align word(site.bytes);
    if (machine_op(*access) == MachineOp::store) {
      for (unsigned i = 0; i < site.count; ++i)
        builder.CreateAlignedStore(access->getArgOperand(2 + i), at(i), word);
    } else if (llvm::Type* type = access->getType(); type->isStructTy()) {
      llvm::Value* all = llvm::PoisonValue::get(type);
      for (unsigned i = 0; i < site.count; ++i)
        all = builder.CreateInsertValue(
            all, builder.CreateAlignedLoad(type->getStructElementType(i), at(i), word), i);
      access->replaceAllUsesWith(all);
    } else {
      access->replaceAllUsesWith(builder.CreateAlignedLoad(type, at(0), word));
    }
    access->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(address);
  }
}

bool Keeper::run() {
  std::map<u32, Variable> variables;
  for (llvm::Instruction& inst : llvm::instructions(*kernel_.function)) {
    if (machine_op(inst) != MachineOp::local) continue;
    auto& call = llvm::cast<llvm::CallInst>(inst);
    variables[number_of(call)].begins.push_back(&call);
  }
  bool kept = false;
  for (auto& [number, variable] : variables) {
    if (kernel_.locals[number].bytes > kMostBytes || !find_accesses(number, variable)) continue;
    keep(number, variable);
    kept = true;
  }
  return kept;
}

}  // namespace

bool keep_local_variables(ScalarKernel& kernel) { return Keeper(kernel).run(); }

void place_local_variables(ScalarKernel& kernel) {
  std::map<u32, llvm::Constant*> places;
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::instructions(*kernel.function))) {
    if (machine_op(inst) != MachineOp::local) continue;
    llvm::Constant*& place = places[number_of(llvm::cast<llvm::CallInst>(inst))];
    if (!place) {
      const Local& local = kernel.locals[number_of(llvm::cast<llvm::CallInst>(inst))];
      place = llvm::ConstantInt::get(inst.getType(),
                                     take_local(kernel.local_bytes, local.bytes, local.align));
    }
    inst.replaceAllUsesWith(place);
    inst.eraseFromParent();
  }
}

}  // namespace heddle::jit
