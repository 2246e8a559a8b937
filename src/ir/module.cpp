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
