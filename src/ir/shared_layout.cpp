// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/shared_layout.h"

#include <algorithm>

namespace heddle::ir {
namespace {

u64 round_up(u64 value, u64 to) { return (value + to - 1) / to * to; }

/// The function that the instruction calls; null: it calls none, or a function whose address is in
/// a register.
const Operand* callee_of(const Function& function, const Inst& inst) {
  const isa::Form& form = inst.get_form();
  if (form.effects().flow != isa::Flow::call) return nullptr;
  for (u32 i = 0; i < form.operands.size() && i < inst.operands.count; ++i) {
    const Operand& one = function.operands[inst.operands.first + i];
    if (form.operands[i].name == "f" && one.kind == OperandKind::function) return &one;
  }
  return nullptr;
}

}  // namespace

std::vector<FunctionId> callable_functions(const Module& module, FunctionId entry) {
  std::vector<bool> seen(module.functions.size(), false);
  std::vector<FunctionId> order;
  const auto visit = [&](u32 id) {
    if (id < seen.size() && !seen[id]) {
      seen[id] = true;
      order.push_back(FunctionId(id));
    }
  };
  const auto visit_named = [&](u32 id) {
    if (id < seen.size() && !module.functions[id].is_entry) visit(id);
  };
  visit(entry.value);
  bool knows_tables = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Function& function = module.functions[order[i].value];
    bool is_indirect = false;
    for (const Operand& operand : function.operands) {
      if (operand.kind == OperandKind::function) visit_named(operand.id);
      if (operand.kind == OperandKind::prototype) is_indirect = true;
    }
    for (const Inst& inst : function.insts) {
      if (const Operand* callee = callee_of(function, inst)) visit(callee->id);
    }
    for (const TargetList& list : function.target_lists) {
      for (const FunctionId id : list.functions) visit_named(id.value);
    }
    // A pointer called through a prototype may come from any initialised table.
    if (!is_indirect || knows_tables) continue;
    knows_tables = true;
    for (const Variable& variable : module.variables) {
      for (const Relocation& relocation : variable.relocations) {
        if (relocation.is_function) visit_named(relocation.symbol);
      }
    }
  }
  return order;
}

SharedLayout lay_out_shared(const Module& module, FunctionId entry) {
  std::vector<u32> used;
  for (const FunctionId id : callable_functions(module, entry)) {
    const Function& function = module.functions[id.value];
    for (const VarId variable : function.shared_used) used.push_back(variable.value);
    for (const Operand& operand : function.operands) {
      if (operand.kind == OperandKind::variable) used.push_back(operand.id);
    }
  }
  std::erase_if(used, [&](u32 id) { return module.variables[id].space != Space::shared; });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());

  SharedLayout layout;
  u32 align = 0;  // alignment of dynamic shared memory; 0: the kernel has none
  std::vector<u32> dynamic;
  for (const u32 id : used) {
    const Variable& variable = module.variables[id];
    // `.extern .shared x[]` is the dynamic part: all such arrays begin where the static part ends.
    if (variable.linkage == Linkage::external && variable.size == 0) {
      constexpr u32 kDynamicAlign = 16;
      align = std::max({align, kDynamicAlign, variable.align});
      dynamic.push_back(id);
      continue;
    }
    const u64 offset = round_up(layout.static_bytes, std::max<u32>(variable.align, 1));
    layout.offset[id] = static_cast<u32>(offset);
    layout.static_bytes = offset + variable.size;
  }
  if (align) layout.static_bytes = round_up(layout.static_bytes, align);
  for (const u32 id : dynamic) layout.offset[id] = static_cast<u32>(layout.static_bytes);
  return layout;
}

}  // namespace heddle::ir
