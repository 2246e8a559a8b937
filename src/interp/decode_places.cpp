// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of registers. Compilers number values without end, so most registers live for a few
// instructions, and each in a place of its own would keep the registers of a CTA's warps out of the
// first-level cache. A register is *brief* when nothing names it outside of a stretch of
// instructions that is only entered at its beginning, and what names it first writes it in all
// lanes. Brief registers whose lives do not overlap share places, whichever fragment of the warp is
// where: an instruction writes the lanes of its own fragment only, and a lane that leaves the
// stretch comes back at its beginning.
#include "interp/decoder.h"

namespace heddle::interp {

/// By instruction: whether one may come here by other ways than from the instruction before.
std::vector<bool> Decoder::find_targets() const {
  std::vector<bool> targets(f_.insts.size() + 1);
  for (const Operand& operand : f_.operands) {
    if (operand.kind == OperandKind::label) targets[operand.id] = true;
  }
  for (const ir::TargetList& list : f_.target_lists) {
    for (const u32 label : list.labels) targets[label] = true;
  }
  return targets;
}

/// Fills lives_: those of registers that are not brief stay empty.
void Decoder::find_lives() {
  lives_.assign(f_.registers.size(), {});
  std::vector<bool> keeps(f_.registers.size());
  for (const auto* list : {&f_.signature.params, &f_.signature.returns}) {
    for (const ir::Parameter& parameter : *list) {
      if (parameter.in_register) keeps[parameter.reg.value] = true;
    }
  }
  const std::vector<bool> targets = find_targets();
  u32 stretch = 0;  // its first instruction
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    if (targets[i]) stretch = i;
    const ir::Inst& inst = f_.insts[i];
    const auto reads = [&](u32 id) {
      Life& life = lives_[id];
      if (!life.is_brief() || life.first < stretch) keeps[id] = true;
      life.last = i;
    };
    if (inst.guard.predicate) reads(inst.guard.predicate.value);
    for_each_register(inst, [&](const Operand& one, bool written) {
      if (!written) reads(one.id);
    });
    for_each_register(inst, [&](const Operand& one, bool written) {
      if (!written) return;
      Life& life = lives_[one.id];
      if (life.is_brief()) return reads(one.id);
      if (inst.guard.predicate || inst_scopes_[i] != Scope::warp) keeps[one.id] = true;
      life = {i, i};
    });
  }
  for (u32 r = 0; r < lives_.size(); ++r) {
    if (keeps[r] || registers_[r] != kNoPlace) lives_[r] = {};
  }
}

/// Gives the brief registers places, but for those of which lane 0 suffices: the others of its
/// lanes are filled when the warp parts, wherever it is.
void Decoder::place_brief() {
  std::map<u32, std::vector<Place>> free;  // by size; what was freed last is in the cache
  const auto size = [&](u32 r) { return place_bytes(f_.registers[r].type); };
  for (u32 r = 0; r < lives_.size(); ++r) {
    if (!lives_[r].is_brief() || suffices_.empty() || !suffices_[r]) continue;
    registers_[r] = take_register(f_.registers[r].type);
    lives_[r] = {};
  }
  for (u32 i = 0; i < f_.insts.size(); ++i) {
    // What it writes never lies where something lies that it reads: it may write before it has
    // read.
    for_each_register(f_.insts[i], [&](const Operand& one, bool) {
      const Life& life = lives_[one.id];
      if (!life.is_brief() || life.first != i || registers_[one.id] != kNoPlace) return;
      std::vector<Place>& places = free[size(one.id)];
      if (places.empty()) places.push_back(take(size(one.id)));
      registers_[one.id] = places.back();
      places.pop_back();
    });
    const auto ends = [&](u32 id) {
      Life& life = lives_[id];
      if (!life.is_brief() || life.last != i) return;
      free[size(id)].push_back(registers_[id]);
      life = {};
    };
    if (f_.insts[i].guard.predicate) ends(f_.insts[i].guard.predicate.value);
    for_each_register(f_.insts[i], [&](const Operand& one, bool) { ends(one.id); });
  }
}

}  // namespace heddle::interp
