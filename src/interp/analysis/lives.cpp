// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of registers. Compilers number values without end, so most registers live for a few
// instructions; if each had a place of its own, the registers of a CTA's warps would not fit into
// the first-level cache. A stretch is a sequence of instructions that is entered at its beginning
// only. A register is *brief* when only instructions of one stretch name it, and the first of them
// writes it in all lanes. Brief registers whose lives do not overlap share places, even if the warp
// has diverged: an instruction writes the lanes of its own fragment only, and a lane that leaves
// the stretch comes back at its beginning.
#include "interp/analysis/lives.h"

#include "interp/analysis/instruction.h"

namespace heddle::interp {

std::vector<bool> find_targets(const ir::Function& function) {
  std::vector<bool> targets(function.insts.size() + 1);
  for (const Operand& operand : function.operands) {
    if (operand.kind == OperandKind::label) targets[operand.id] = true;
  }
  for (const ir::TargetList& list : function.target_lists) {
    for (const u32 label : list.labels) targets[label] = true;
  }
  return targets;
}

std::vector<Life> find_lives(const ir::Function& function, const Scopes& scopes) {
  std::vector<Life> lives(function.registers.size());
  std::vector<bool> keeps(function.registers.size());
  for (const auto* list : {&function.signature.params, &function.signature.returns}) {
    for (const ir::Parameter& parameter : *list) {
      if (parameter.in_register) keeps[parameter.reg.value] = true;
    }
  }
  const std::vector<bool> targets = find_targets(function);
  u32 stretch = 0;  // its first instruction
  for (u32 i = 0; i < function.insts.size(); ++i) {
    if (targets[i]) stretch = i;
    const ir::Inst& inst = function.insts[i];
    const auto reads = [&](u32 id) {
      Life& life = lives[id];
      if (!life.is_brief() || life.first < stretch) keeps[id] = true;
      life.last = i;
    };
    if (inst.guard.predicate) reads(inst.guard.predicate.value);
    for_each_register(function, inst, [&](const Operand& one, bool written) {
      if (!written) reads(one.id);
    });
    for_each_register(function, inst, [&](const Operand& one, bool written) {
      if (!written) return;
      Life& life = lives[one.id];
      if (life.is_brief()) return reads(one.id);
      if (inst.guard.predicate || scopes.of_inst(i) != Scope::warp) keeps[one.id] = true;
      life = {i, i};
    });
  }
  for (u32 r = 0; r < lives.size(); ++r) {
    if (keeps[r]) lives[r] = {};
  }
  return lives;
}

}  // namespace heddle::interp
