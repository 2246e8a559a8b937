// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction *leads* when a warp that has not diverged executes it for lane 0 alone. The
// registers that it writes are affine, and only instructions that need no other lane read them:
// instructions that lead as well, comparisons by the first and the last lane, f32 arithmetic that
// spreads lane 0 of a source, and loads and stores whose addresses lane 0 gives. When the warp
// diverges, the interpreter fills the other lanes (InterpretedCta::spread).
#include "interp/analysis/leads.h"

#include "interp/analysis/instruction.h"
#include "isa/groups.h"

namespace heddle::interp {
namespace {

bool is_order(sem::Cmp cmp) {
  using enum sem::Cmp;
  switch (cmp) {
    case lt:
    case le:
    case gt:
    case ge:
    case lo:
    case ls:
    case hi:
    case hs:
      return true;
    default:
      return false;
  }
}

/// What an instruction could do if lane 0 sufficed of all affine registers.
class LeadCandidates {
 public:
  LeadCandidates(const ir::Function& function, const Scopes& scopes, const Shapes& shapes,
                 const Level& level)
      : f_(function), scopes_(scopes), shapes_(shapes), level_(level) {}

  LeadInst find(u32 index) const;
  bool can_suffice(u32 reg) const;

 private:
  bool has_affine_address(const ir::Inst& inst) const;
  bool compares_affine(const ir::Inst& inst) const;

  const ir::Function& f_;
  const Scopes& scopes_;
  const Shapes& shapes_;
  const Level& level_;
};

/// The stride of the addresses is 0 or the size of the access. A load that changes its own address
/// register does not count, because it could not be executed again for all lanes.
bool LeadCandidates::has_affine_address(const ir::Inst& inst) const {
  const isa::Access access = inst.get_form().effects().access;
  const bool load = access == isa::Access::load;
  if ((!load && access != isa::Access::store) || inst.guard.predicate || !is_usual_access(f_, inst))
    return false;
  const Operand& a = ir::operand_of(f_, inst, "a");
  const Shape shape = shapes_.of_source(a);
  const auto accessed = ir::elements_of(f_, ir::operand_of(f_, inst, load ? "d" : "b"));
  const u32 element = bytes_of(accessed[0].type);
  if (!level_.affine_store[width_index(element)][width_index(accessed.size())][0]) return false;
  for (const Operand& one : accessed) {
    if (load && one.kind == OperandKind::reg && a.kind == OperandKind::reg && one.id == a.id)
      return false;
  }
  const auto bytes = static_cast<s64>(element * accessed.size());
  return shape.is_affine() && (shape.stride == bytes || (load && !shape.stride));
}

bool LeadCandidates::compares_affine(const ir::Inst& inst) const {
  return shapes_.of_source(ir::operand_of(f_, inst, "a")).is_affine() &&
         shapes_.of_source(ir::operand_of(f_, inst, "b")).is_affine() &&
         is_order(static_cast<sem::Cmp>(ir::slot_of(inst, "cmp")));
}

LeadInst LeadCandidates::find(u32 index) const {
  const ir::Inst& inst = f_.insts[index];
  const isa::Form& form = inst.get_form();
  LeadInst found;
  if (inst.guard.predicate) return found;
  found.affine_address = has_affine_address(inst);
  const bool in_warp = scopes_.of_inst(index) == Scope::warp;
  const bool affine = in_warp && shapes_.of_result(index).is_affine();
  if (form.sem_kind == SemKind::lane) {
    const Handlers& handlers = level_.lanes[isa::dispatch_index(form, inst.slots)];
    found.usual = handlers.usual;
    found.orders = in_warp && handlers.ordering && form.sem == "setp" && compares_affine(inst);
    found.leads = affine && (shapes_.widened_reach(index) ? handlers.lead_widening : handlers.lead);
  } else if (copies_address(inst)) {
    const u32 bytes = bytes_of(ir::operand_of(f_, inst, 0).type);
    found.leads = affine && level_.move[width_index(bytes)].lead;
  } else {
    found.leads = affine && found.affine_address && is_load(inst);
  }
  return found;
}

bool LeadCandidates::can_suffice(u32 reg) const {
  const Type type = f_.registers[reg].type;
  const u32 bytes = bytes_of(type);
  return shapes_.of_register(reg).is_affine() && (bytes == 4 || bytes == 8) && !is_predicate(type);
}

}  // namespace

/// Restricts the instruction to what its registers allow, and the registers to what the instruction
/// needs. Returns whether lane 0 suffices of fewer registers than before.
bool Leads::update(const ir::Function& function, const Shapes& shapes, u32 index) {
  const ir::Inst& inst = function.insts[index];
  LeadInst& lead = insts_[index];
  for_each_register(function, inst, [&](const Operand& one, bool written) {
    lead.leads &= !written || is_predicate(one.type) || suffices_[one.id];
  });
  lead.spread = kNoSource;
  if (!lead.leads && lead.usual) {
    lead.spread = static_cast<u8>(find_source(function, inst, [&](u32 id) {
      return suffices_[id] && shapes.of_register(id).is_uniform();
    }));
  }
  bool changed = false;
  for_each_register(function, inst, [&](const Operand& one, bool) {
    if (lead.leads || lead.orders || !suffices_[one.id]) return;
    if (lead.spread != kNoSource && &one == &ir::operand_of(function, inst, 1u + lead.spread))
      return;
    if (one.is_address && lead.affine_address) return;
    suffices_[one.id] = false;
    changed = true;
  });
  return changed;
}

Leads::Leads(const ir::Function& function, const Scopes& scopes, const Shapes& shapes,
             const Level& level)
    : insts_(function.insts.size()), suffices_(function.registers.size()) {
  if (!function.is_entry) return;
  const LeadCandidates candidates(function, scopes, shapes, level);
  for (u32 r = 0; r < function.registers.size(); ++r) suffices_[r] = candidates.can_suffice(r);
  for (u32 i = 0; i < function.insts.size(); ++i) insts_[i] = candidates.find(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 i = static_cast<u32>(function.insts.size()); i-- > 0;)
      changed |= update(function, shapes, i);
  }
}

}  // namespace heddle::interp
