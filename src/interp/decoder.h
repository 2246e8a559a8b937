// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder of one function; decode.cpp has the steps, decode_operands.cpp the operands,
// decode_memory.cpp and decode_flow.cpp the instructions of those kinds.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "interp/analysis/instruction.h"
#include "interp/analysis/joins.h"
#include "interp/analysis/leads.h"
#include "interp/analysis/lives.h"
#include "interp/analysis/scopes.h"
#include "interp/analysis/shapes.h"
#include "interp/program.h"
#include "machine/shared_address.h"

namespace heddle::interp {

/// Bytes of a lane in a place of the type; 0: a predicate, which is one bit per lane.
inline u32 place_bytes(Type type) { return is_predicate(type) ? 0 : bytes_of(type); }
inline bool is_signed(Type type) { return isa::type_info(type).cls == isa::TypeClass::signed_; }

/// What all functions of one program share.
struct Builder {
  Interpreted& program;
  const Level& level;
  const machine::Loaded& loaded;
  machine::SharedLayout shared;
  std::optional<u32> rank;  ///< of the CTAs in their clusters; none: there are no clusters
  u64 first_shared() const { return machine::first_shared_address(rank.value_or(0)); }
  u32 number_of(const CtaSpecial& special) {
    std::vector<CtaSpecial>& all = program.cta_specials;
    const auto found = std::find(all.begin(), all.end(), special);
    if (found != all.end()) return static_cast<u32>(found - all.begin());
    all.push_back(special);
    return static_cast<u32>(all.size() - 1);
  }

  /// Each warp keeps a copy of the special registers that do not change while it runs. Returns the
  /// register's offset in the copy.
  u32 remember(SpecialUse use) {
    for (const SpecialUse& one : program.warp_specials) {
      if (one.reg == use.reg && one.component == use.component) return one.copy;
    }
    use.copy = program.warp_special_bytes;
    program.warp_special_bytes += (use.bytes * kLanes + 63) / 64 * 64;
    program.warp_specials.push_back(use);
    return use.copy;
  }

  const Place* keep(std::vector<Place> list) {
    program.lists.push_back(std::move(list));
    return program.lists.back().data();
  }
};

/// Decodes one function.
class Decoder {
 public:
  Decoder(Builder& builder, Code& code)
      : builder_(builder), level_(builder.level), code_(code), f_(*code.function) {}

  /// Frame layout and formals; needed before any caller is decoded.
  void lay_out();
  /// Decodes the instructions. Returns why the function cannot run, or an empty string.
  std::string decode();

 private:
  // --- frame ---
  static u32 take(u32& size, u32 bytes, u32 align) {
    const u32 at = (size + align - 1) / align * align;
    size = at + bytes;
    return at;
  }
  /// Room for 32 lanes; bytes 0: a predicate.
  Place take(u32 bytes) {
    u32& size = code_.register_bytes;
    return static_cast<Place>(bytes ? take(size, bytes * kLanes, 64) : take(size, 4, 4));
  }
  Place take_register(Type type) { return take(place_bytes(type)); }
  /// A place for the current instruction only.
  Place scratch(u32 bytes) { return take(bytes); }
  /// A zeroed place below the registers.
  Place take_below(u32 bytes) {
    const std::size_t size = (std::max<u32>(bytes * kLanes, 4) + 63) / 64 * 64;
    code_.below.insert(code_.below.begin(), size, 0);
    return -static_cast<Place>(code_.below.size());
  }
  /// A place whose 32 lanes hold `value`; bytes 0: a predicate.
  Place constant(u64 value, u32 bytes);
  void find_promotable();
  std::vector<bool> find_named() const;
  Slot slot_of(const ir::Parameter& parameter) const;

  void place_copies();
  void place_brief();
  void find_loops();
  std::span<const Operand> operands_of(const ir::Inst& inst) const {
    return interp::operands_of(f_, inst);
  }

  // --- warps that have not diverged (decode_affine.cpp, decode_join.cpp) ---
  const LeadInst& lead() const { return leads_.of_inst(inst_index_); }
  void choose_by_lead(Op& op, const Handlers& handlers);
  void list_affine();
  bool describe_products(std::span<Op> ops, bool first_is_same);
  void describe_pair(std::span<Op> ops, u32 made) const;
  void apply_joins(std::span<const Join> joins, std::span<const u32> op_of_inst);

  template <class See>
  void for_each_register(const ir::Inst& inst, See see) const {
    interp::for_each_register(f_, inst, see);
  }

  // --- emission ---
  Op& emit(Handlers handlers) {
    Op op;
    op.run = handlers.run;
    op.full = handlers.full;
    op.inst = inst_index_;
    ops_->push_back(op);
    if (ops_ == &code_.ops) whole_.push_back(lead().leads ? handlers.lead : nullptr);
    return ops_->back();
  }
  Op& emit_guarded(Handlers handlers) {
    Op& op = emit(handlers);
    const ir::Guard& guard = inst_->guard;
    if (guard.predicate) {
      op.full = &full_guarded;
      op.guard = registers_[guard.predicate.value];
      op.guard_flip = guard.negated ? kAllLanes : 0;
    }
    return op;
  }
  Op& emit_control(Control control) {
    Op& op = emit_guarded(nullptr);
    op.control = control;
    op.full = control == Control::bra ? &full_branch : &full_control;
    return op;
  }
  void resize(Place from, u32 from_bytes, Place to, u32 to_bytes, bool sign, bool guarded) {
    const Handlers run = level_.resize[width_index(from_bytes)][width_index(to_bytes)][sign];
    Op& op = guarded ? emit_guarded(run) : emit(run);
    op.src[0] = from;
    op.dst[0] = to;
    op.pure = true;
  }

  Place source(const Operand& operand);
  Place special(const Operand& operand);
  struct Target {
    Place place = 0;
    Place wide = 0;  // when wide_bytes: the register that gets the extended value afterwards
    u32 bytes = 0, wide_bytes = 0;
    bool sign = false;
    bool unwanted = false;  // a sink
  };
  Target target(const Operand& operand);
  void finish(const Target& target) {
    if (target.wide_bytes)
      resize(target.place, target.bytes, target.wide, target.wide_bytes, target.sign, true);
  }
  std::span<const Operand> elements(const Operand& operand) const {
    return ir::elements_of(f_, operand);
  }
  u64 symbol_value(const Operand& operand) const;
  void address(const Operand& operand, Op& op, const std::pair<AddressBase, Place>& base) const;
  std::pair<AddressBase, Place> address_base(const Operand& operand);

  // --- instructions ---
  void instruction();
  void lane_function(const isa::Form& form);
  void warp_function(const isa::Form& form);
  /// One for each handler that a `sem memory` or `sem engine` line of the tables names.
#define HEDDLE_HANDLER(name) void name();
#include "isa/handlers.inc"
#undef HEDDLE_HANDLER
  /// Says why the function cannot run. The first reason counts.
  void refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  // --- accesses to memory, addresses (decode_memory.cpp) ---
  void choose_usual(Op& op, const FullHandler (&usual)[2]) const;
  bool affine_base(Op& op);
  void read_modify_write();

  // --- barrier objects, asynchronous copies, clusters (decode_cooperation.cpp) ---
  bool has(std::string_view slot_name) const { return slot(slot_name) != 0; }
  std::string_view space_of(const Operand& operand) const {
    return interp::space_of(f_, *inst_, operand);
  }
  Place host_address(const Operand& operand, u32 bytes = 0);
  bool is_cluster_access(const Operand& a) const;
  std::pair<AddressBase, Place> access_base(const Operand& a, u32 bytes);
  void access_address(const Operand& a, Op& op, const std::pair<AddressBase, Place>& base) const;
  void object_operation(Handler run, u8 flags = 0);
  Op& bulk_operation(Handler run);
  Op& bulk_tensor(Handler run, const Operand* shared);
  Op& multimem_access(Handler run, std::vector<Place> list, u32 each, Place address);
  void multimem_write(Handler run);
  void cluster_address(Handler run);
  bool is_of_pair() const;
  Op& warp_operation(Handler run, std::vector<Place> registers = {});
  Op& tensor_product();
  Op& tensor_access(Handler run);
  Op& tensor_fragment(Handler run, std::vector<Place> list);
  const machine::AtomicFunction* applied() const;

  // --- matrices (decode_matrix.cpp) ---
  std::vector<Place> sources_of(const Operand& whole);
  std::vector<Target> targets_of(const Operand& whole);
  static std::vector<Place> places_of(const std::vector<Target>& targets);
  Op& warp_access(Handler run, std::vector<Place> registers);
  void row_access(Handler run, std::vector<Place> registers);
  void matrix_access(Handler run, std::vector<Place> registers);

  // --- control flow, barriers (decode_flow.cpp) ---
  std::string refuse_call(const CallSite& site) const;
  void barrier(Control control);

  void move(Place from, Place to, Type type) {
    Op& op = emit_guarded(is_predicate(type) ? level_.predicate_move
                                             : level_.move[width_index(bytes_of(type))]);
    op.src[0] = from;
    op.dst[0] = to;
    op.pure = true;
  }

  const Operand& operand(u32 index) const { return ir::operand_of(f_, *inst_, index); }
  const Operand& operand(std::string_view name) const { return ir::operand_of(f_, *inst_, name); }
  u8 slot(std::string_view name) const { return ir::slot_of(*inst_, name); }
  ir::Space space() const { return static_cast<ir::Space>(inst_->space); }
  bool promoted(const Operand& operand) const {
    return operand.kind == OperandKind::local && promoted_[operand.id] != kNoPlace;
  }

  Builder& builder_;
  const Level& level_;
  Code& code_;
  const ir::Function& f_;
  std::map<std::pair<u64, u32>, Place> constants_;  // (value, bytes) -> place
  std::map<std::pair<u32, u32>, Place> specials_;   // (register, component) -> place
  std::vector<Place> registers_;
  std::vector<u64> local_offsets_;
  std::vector<Place> promoted_;  // by local
  const Scopes scopes_{f_};
  std::vector<Life> lives_ = find_lives(f_, scopes_);  // by register; place_brief() clears them
  const Shapes shapes_{f_, scopes_};
  const Leads leads_{f_, scopes_, shapes_, level_};
  std::vector<FullHandler>
      whole_;  // by Op of Code::ops: Op::full in Code::whole_ops; null: the same
  const ir::Inst* inst_ = nullptr;
  u32 inst_index_ = 0;
  Scope scope_ = Scope::warp;       // of the current instruction
  std::vector<Op>* ops_ = nullptr;  // the list that its Ops are added to
  std::string why_;                 // see refuse()
};

}  // namespace heddle::interp
