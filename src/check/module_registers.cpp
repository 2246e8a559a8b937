// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.reg` and `.local` at module scope, which ended with PTX ISA 3.0: each function that names such
// a variable has its own copy. Declaring all variables in each function would take time
// proportional to the product of their numbers, so only the named ones are declared.
#include <algorithm>

#include "check/body_checker.h"

namespace heddle::check {

using syntax::ExprKind;
using syntax::StmtKind;

/// The end of the expressions of the function's instructions; they follow those of the function
/// before.
u32 BodyChecker::end_of_expressions() const {
  u32 end = 0;
  const auto cover = [&](syntax::ExprId id) { end = std::max(end, id.value + 1); };
  for (u32 i = 0; i < declared_.body.count; ++i) {
    const syntax::Stmt& stmt = tree_.stmts[declared_.body.first + i];
    if (stmt.kind != StmtKind::instruction) continue;
    const syntax::Instruction& instruction = tree_.instructions[stmt.data];
    for (u32 k = 0; k < instruction.operands.count; ++k)
      cover(tree_.expr_lists[instruction.operands.first + k]);
  }
  return end;
}

/// Declares the module's registers that the body names.
void BodyChecker::module_registers() {
  if (module_.module_registers_.empty()) return;
  std::vector<u32> named;
  const auto note = [&](NameId name) {
    const auto found = module_.module_register_of_.find(name.value);
    if (found != module_.module_register_of_.end())
      named.insert(named.end(), found->second.begin(), found->second.end());
  };
  const auto note_with_families = [&](NameId name) {
    note(name);
    const std::string_view whole = text(name);
    for (std::size_t at = whole.size(); at > 1 && whole[at - 1] >= '0' && whole[at - 1] <= '9';)
      if (const NameId base = tree_.names.find(whole.substr(0, --at))) note(base);
  };
  const u32 end = end_of_expressions();
  for (u32& i = module_.next_expression_; i < end; ++i)
    if (tree_.exprs[i].kind == ExprKind::name) note_with_families(tree_.exprs[i].name_id);
  for (u32 i = 0; i < declared_.body.count; ++i) {
    const syntax::Stmt& stmt = tree_.stmts[declared_.body.first + i];
    if (stmt.kind == StmtKind::instruction && tree_.instructions[stmt.data].guard.predicate)
      note_with_families(tree_.instructions[stmt.data].guard.predicate);
  }
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  for (const u32 index : named) variable(*module_.module_registers_[index]);
}

}  // namespace heddle::check
