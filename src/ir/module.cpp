// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/module.h"

#include <numeric>

namespace heddle::ir {
namespace {

template <class T>
const T* find(const std::vector<T>& all, std::string_view name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace

const Function* Module::find_function(std::string_view name) const { return find(functions, name); }
const Variable* Module::find_variable(std::string_view name) const { return find(variables, name); }

std::vector<u32> reachable_functions(const Module& module, FunctionId from) {
  std::vector<u32> found{from.value};
  std::vector<bool> known(module.functions.size());
  known[from.value] = true;
  const auto reach = [&](u32 id) {
    if (!known[id]) found.push_back(id);
    known[id] = true;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Function& function = module.functions[found[i]];
    for (const Operand& operand : function.operands) {
      if (operand.kind == OperandKind::function) reach(operand.id);
    }
    for (const TargetList& list : function.target_lists) {
      for (const FunctionId target : list.functions) reach(target.value);
    }
  }
  return found;
}

void resolve_aliases(Module& module) {
  if (module.aliases.empty()) return;
  std::vector<u32> meaning(module.functions.size());
  std::iota(meaning.begin(), meaning.end(), 0);
  for (const auto& [alias, aliasee] : module.aliases) meaning[alias.value] = aliasee.value;
  for (Function& function : module.functions) {
    for (Operand& operand : function.operands) {
      if (operand.kind == OperandKind::function) operand.id = meaning[operand.id];
    }
    for (TargetList& list : function.target_lists) {
      for (FunctionId& id : list.functions) id = FunctionId(meaning[id.value]);
    }
  }
  for (Variable& variable : module.variables) {
    for (Relocation& relocation : variable.relocations) {
      if (relocation.is_function) relocation.symbol = meaning[relocation.symbol];
    }
  }
}

}  // namespace heddle::ir
