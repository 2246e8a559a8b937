// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds stores with a race that no GPU loses: all warps read a word of shared memory behind a
// barrier, and one of them overwrites it before the next barrier. On a GPU all warps have read the
// word by then. A warp ends its turn before such a store, so that here they have, too
// (docs/adr/0008).
#include "interp/analysis/overwrites.h"

#include <algorithm>

#include "interp/analysis/instruction.h"

namespace heddle::interp {

namespace {

bool is_barrier(const ir::Inst& inst) { return inst.get_form().effects().barrier; }

class Overwrites {
 public:
  Overwrites(const ir::Function& function, const Scopes& scopes)
      : f_(function), scopes_(scopes), found_(function.insts.size()) {}
  std::vector<bool> find();

 private:
  bool is_broadcast(const ir::Inst& inst) const;
  bool may_overlap(const ir::Inst& one, const ir::Inst& other) const;
  void find_of(u32 load);

  const ir::Function& f_;
  const Scopes& scopes_;
  std::vector<bool> found_;
};

/// Whether the instruction writes to the CTA's shared memory.
bool writes_shared(const ir::Inst& inst) {
  const isa::Access access = inst.get_form().effects().access;
  return (access == isa::Access::store || access == isa::Access::atomic) &&
         static_cast<ir::Space>(inst.space) == ir::Space::shared;
}

/// Whether all warps load the same word.
bool Overwrites::is_broadcast(const ir::Inst& inst) const {
  return is_load(inst) && !inst.guard.predicate &&
         static_cast<ir::Space>(inst.space) == ir::Space::shared &&
         scopes_.of_source(ir::operand_of(f_, inst, "a")) <= Scope::cta;
}

/// Whether the two instructions may access a common byte.
bool Overwrites::may_overlap(const ir::Inst& one, const ir::Inst& other) const {
  const Operand& a = ir::operand_of(f_, one, "a");
  const Operand& b = ir::operand_of(f_, other, "a");
  if (a.kind != OperandKind::variable || b.kind != OperandKind::variable) return true;
  if (a.id != b.id) return false;
  const auto end = [&](const ir::Inst& inst, const Operand& address) {
    const auto data = ir::elements_of(f_, ir::operand_of(f_, inst, is_load(inst) ? "d" : "b"));
    return address.value + u64{bytes_of(data[0].type)} * data.size();
  };
  return a.value < end(other, b) && b.value < end(one, a);
}

std::vector<bool> Overwrites::find() {
  const bool writes =
      std::ranges::any_of(f_.insts, [&](const ir::Inst& inst) { return writes_shared(inst); });
  if (!writes || std::ranges::none_of(f_.insts, is_barrier)) return found_;
  for (u32 load = 0; load < f_.insts.size(); ++load) {
    if (is_broadcast(f_.insts[load])) find_of(load);
  }
  return found_;
}

void Overwrites::find_of(u32 load) {
  std::vector<bool> seen(f_.insts.size() + 1);
  std::vector<u32> work = {load + 1}, stores;
  std::vector<std::pair<u32, u32>> back;  // backward branches: from, to
  const auto go = [&](u32 from, u32 to) {
    if (to <= from) back.emplace_back(from, to);
    work.push_back(to);
  };
  while (!work.empty()) {
    const u32 i = work.back();
    work.pop_back();
    if (i >= f_.insts.size() || seen[i]) continue;
    seen[i] = true;
    const ir::Inst& inst = f_.insts[i];
    const isa::Flow flow = inst.get_form().effects().flow;
    if (is_barrier(inst) && !inst.guard.predicate) continue;
    if (writes_shared(inst) && may_overlap(f_.insts[load], inst)) stores.push_back(i);
    for (const Operand& operand :
         std::span(f_.operands).subspan(inst.operands.first, inst.operands.count)) {
      if (operand.kind == OperandKind::label) go(i, operand.id);
      if (operand.kind != OperandKind::targets || flow != isa::Flow::branch) continue;
      for (const u32 label : f_.target_lists[operand.id].labels) go(i, label);
    }
    const bool ends = flow == isa::Flow::branch || flow == isa::Flow::leave;
    if (!ends || inst.guard.predicate) work.push_back(i + 1);
  }
  for (const u32 store : stores) {
    const bool again = std::ranges::any_of(back, [&](const auto& branch) {
      const auto [from, to] = branch;
      return to <= store && store <= from && !(to <= load && load <= from);
    });
    if (!again) found_[store] = true;
  }
}

}  // namespace

std::vector<bool> find_overwrites(const ir::Function& function, const Scopes& scopes) {
  return Overwrites(function, scopes).find();
}

}  // namespace heddle::interp
