// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/lower/cold_functions.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/operands.h"
#include "isa/groups.h"
#include "isa/sem/compare.h"
#include "isa/sem_ids.h"
#include "jit/context.h"
#include "machine/device_runtime.h"

namespace heddle::jit {
namespace {

using ir::Operand;
using ir::OperandKind;
using isa::Type;

/// Larger arguments are rare: CUDA's libraries compare with 105,615 and 2^31.
constexpr double kLarge = 65'536;
/// Instructions. A shorter function costs about as much as passing its arguments.
constexpr std::size_t kLong = 40;

bool ends_block(const ir::Inst& inst) { return inst.get_form().effects().flow != isa::Flow::next; }

/// Whether no other thread can notice the instruction, and its result does not depend on others.
bool is_private(const ir::Inst& inst) {
  const isa::Form& form = inst.get_form();
  if (form.sem_kind == isa::SemKind::lane) return true;
  const auto space = static_cast<ir::Space>(inst.space);
  const bool own = space == ir::Space::local || space == ir::Space::param;
  const auto order = static_cast<isa::Order>(ir::slot_of(inst, "order"));
  const bool weak = order == isa::Order::none || order == isa::Order::weak;
  const isa::Effects& what = form.effects();
  switch (what.access) {
    case isa::Access::load:
      return weak && (own || space == ir::Space::constant || space == ir::Space::global);
    case isa::Access::store:
      return weak && own;
    case isa::Access::atomic:
      return false;
    case isa::Access::none:
      break;
  }
  return what.pure || form.opcode == "bra" || form.opcode == "ret";
}

bool fits_rows(const std::vector<ir::Parameter>& formals, const ir::Function& function) {
  u32 words = 0;
  for (const ir::Parameter& formal : formals) {
    if (formal.unsized) return false;
    if (formal.in_register && function.registers[formal.reg.value].type == Type::pred) return false;
    words +=
        machine::words_in(static_cast<u32>(std::min<u64>(formal.size, kHelperOperands * 8 + 8)));
  }
  return words <= kHelperOperands;
}

bool may_stay_a_call(const ir::Function& function) {
  return function.has_body && !function.is_entry && !function.noreturn &&
         !function.signature.noreturn && function.insts.size() >= kLong &&
         std::ranges::all_of(function.insts, is_private) &&
         fits_rows(function.signature.returns, function) &&
         fits_rows(function.signature.params, function);
}

/// The targets of branches.
std::vector<u32> targets_of(const ir::Function& function) {
  std::vector<u32> targets;
  for (const Operand& one : function.operands)
    if (one.kind == OperandKind::label) targets.push_back(one.id);
  for (const ir::TargetList& list : function.target_lists)
    targets.insert(targets.end(), list.labels.begin(), list.labels.end());
  return targets;
}

/// The conditional branch that alone leads to the block of `inst`, and whether by being taken.
struct Way {
  const ir::Inst* branch;
  bool taken;
};
std::optional<Way> way_to(const ir::Function& function, u32 inst) {
  const std::vector<u32> targets = targets_of(function);
  u32 begin = inst;
  while (begin && !std::ranges::count(targets, begin) && !ends_block(function.insts[begin - 1]))
    --begin;
  const auto comes = std::ranges::count(targets, begin);
  const ir::Inst* before = begin ? &function.insts[begin - 1] : nullptr;
  const auto is_branch = [](const ir::Inst& one) {
    return one.get_form().opcode == "bra" && one.guard.predicate;
  };
  if (!comes) {
    if (!before || !is_branch(*before)) return std::nullopt;
    return Way{before, false};
  }
  const bool falls = !before || !ends_block(*before) || before->guard.predicate ||
                     before->get_form().effects().flow == isa::Flow::call;
  if (comes != 1 || falls) return std::nullopt;
  for (const ir::Inst& one : function.insts) {
    if (is_branch(one) && ir::operand_of(function, one, 0).id == begin) return Way{&one, true};
  }
  return std::nullopt;
}

/// The one instruction that writes the register; null: there are several.
const ir::Inst* writer_of(const ir::Function& function, u32 reg) {
  const ir::Inst* writer = nullptr;
  for (const ir::Inst& inst : function.insts) {
    const isa::Form& form = inst.get_form();
    for (u32 i = 0; i < inst.operands.count; ++i) {
      // A carry is behind the operands of the form.
      if (i < form.operands.size() && !form.operands[i].written) continue;
      for (const Operand& one : ir::elements_of(function, ir::operand_of(function, inst, i))) {
        if (one.kind != OperandKind::reg || one.id != reg) continue;
        if (writer) return nullptr;
        writer = &inst;
      }
    }
  }
  return writer;
}

std::optional<double> number_of(const Operand& operand) {
  if (operand.kind != OperandKind::immediate) return std::nullopt;
  if (operand.type == Type::f32)
    return double{std::bit_cast<float>(static_cast<u32>(operand.value))};
  if (operand.type == Type::f64) return std::bit_cast<double>(operand.value);
  return std::nullopt;
}

/// Whether the predicate has this value only if a number is large or NaN.
bool means_large(const ir::Function& function, u32 predicate, bool value) {
  const ir::Inst* writer = writer_of(function, predicate);
  if (!writer || writer->guard.predicate || writer->get_form().opcode != "setp") return false;
  if (ir::slot_of(*writer, "boolop")) return false;
  const auto bound = number_of(ir::operand_of(function, *writer, "b"));
  if (!bound || !(*bound >= kLarge)) return false;
  if (ir::operand_of(function, *writer, "p").id != predicate) value = !value;  // p|q
  const u8 relations = sem::kRelations[ir::slot_of(*writer, "cmp")];
  const u8 such = value ? relations : static_cast<u8>(~relations);
  return !(such & sem::kLess);
}

}  // namespace

bool is_cold_call(const ir::Module& module, const ir::Function& caller, u32 inst) {
  const ir::Inst& call = caller.insts[inst];
  const Operand& callee = ir::operand_of(caller, call, "f");
  if (callee.kind != OperandKind::function || !may_stay_a_call(module.functions[callee.id]))
    return false;
  if (const ir::RegId guard = call.guard.predicate)
    return means_large(caller, guard.value, !call.guard.negated);
  const auto way = way_to(caller, inst);
  if (!way) return false;
  const ir::Guard& guard = way->branch->guard;
  return means_large(caller, guard.predicate.value, way->taken != guard.negated);
}

}  // namespace heddle::jit
