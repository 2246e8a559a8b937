// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that compute the same in every warp run once: once for the launch if their sources
// are parameters and launch-wide special registers, once for a CTA if %ctaid is a source, too. Such
// an instruction moves to a prologue. A register that is only ever a copy of a special register
// gets that special register's place. In both cases one instruction alone writes the register,
// without a guard. So all later reads give the same value, wherever they are in the control flow.
#include "interp/analysis/scopes.h"

#include <algorithm>

#include "interp/analysis/instruction.h"
#include "machine/ranges.h"

namespace heddle::interp {

Scope Scopes::of_source(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::none:
    case OperandKind::immediate:
    case OperandKind::variable:
    case OperandKind::function:
      return Scope::launch;
    case OperandKind::special:
      return std::min(scope_of(static_cast<isa::SpecialRegister>(operand.id)), Scope::warp);
    case OperandKind::reg:
      return registers_[operand.id];
    default:
      return Scope::warp;
  }
}

/// The largest part of the launch in which the instruction needs to run only once. That can be more
/// than a warp for pure functions of shared values, and for loads of kernel parameters that cannot
/// trap.
Scope Scopes::of_result(const ir::Inst& inst) const {
  const isa::Form& form = inst.get_form();
  const bool copy = copies_address(inst), load = is_load(inst);
  if (inst.guard.predicate || form.carry != isa::CarryUse::none) return Scope::warp;
  if (form.sem_kind != SemKind::lane && !copy && !load) return Scope::warp;
  Scope scope = Scope::launch;
  const auto operands = operands_of(f_, inst);
  u64 bytes = 0;  // written
  for (u32 i = 0; i < operands.size(); ++i) {
    const isa::OperandSpec& spec = form.operands[i];
    for (const Operand& one : ir::elements_of(f_, operands[i])) {
      if (spec.written) {
        const bool alone = one.kind == OperandKind::reg && writers_[one.id] == 1;
        if (!alone || spec.also_read || is_predicate(one.type)) return Scope::warp;
        bytes += bytes_of(one.type);
      } else if (load && one.is_address) {
        const machine::AddressRange parameters{0, f_.param_bytes};
        const bool fits = one.kind == OperandKind::parameter && one.value % bytes == 0 &&
                          parameters.contains(one.value, bytes);
        if (!fits) return Scope::warp;
      } else {
        scope = std::max(scope, of_source(one));
      }
    }
  }
  return scope;
}

bool Scopes::copies_special(const ir::Inst& inst) const {
  const auto operands = operands_of(f_, inst);
  if (inst.get_form().opcode != "mov" || inst.get_form().sem_kind != SemKind::lane) return false;
  const Operand& d = operands[0];
  const Operand& a = operands[1];
  if (inst.guard.predicate || d.kind != OperandKind::reg || a.kind != OperandKind::special) {
    return false;
  }
  const auto reg = static_cast<isa::SpecialRegister>(a.id);
  const u32 bytes = bytes_of(isa::special_register_info(reg).type);
  return writers_[d.id] == 1 && scope_of(reg) != Scope::instant && bytes == bytes_of(d.type) &&
         bytes == bytes_of(f_.registers[d.id].type) && !is_predicate(d.type);
}

Scopes::Scopes(const ir::Function& function)
    : f_(function),
      writers_(function.registers.size()),
      registers_(function.registers.size(), Scope::warp),
      insts_(function.insts.size(), Scope::warp) {
  if (!f_.is_entry) return;  // its parameters differ from call to call
  for (const ir::Inst& inst : f_.insts) {
    for_each_register(f_, inst, [&](const Operand& one, bool written) {
      if (written && writers_[one.id] < 2) ++writers_[one.id];
    });
  }
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    const ir::Inst& inst = f_.insts[i];
    const Scope scope = of_result(inst);
    insts_[i] = copies_special(inst) ? Scope::instant : scope;
    if (scope == Scope::warp && !is_copy(i)) continue;
    for_each_register(f_, inst, [&](const Operand& one, bool written) {
      if (written) registers_[one.id] = scope;
    });
  }
}

}  // namespace heddle::interp
