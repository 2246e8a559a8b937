// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes parse to a well-formed tree and to diagnostics that can be rendered.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "syntax/parser.h"

namespace heddle::syntax {
namespace {

void check_tree(const Tree& tree, std::size_t size) {
  const auto check_span = [&](Span span) {
    HEDDLE_CHECK(span.begin <= span.end && span.end <= size);
  };
  const auto check_range = [](auto range, std::size_t end) {
    HEDDLE_CHECK(range.count == 0 || u64{range.first} + range.count <= end);
  };
  for (const Expr& expr : tree.exprs) {
    check_span(expr.span);
    const auto check_child = [&](ExprId id) { HEDDLE_CHECK(!id || tree[id].height < expr.height); };
    switch (expr.kind) {
      case ExprKind::vector:
      case ExprKind::list:
      case ExprKind::address:
      case ExprKind::ternary:
        check_range(expr.list, tree.expr_lists.size());
        for (u32 i = 0; i < expr.list.count; ++i) {
          check_child(tree.expr_lists[expr.list.first + i]);
        }
        break;
      case ExprKind::component:
      case ExprKind::unary:
      case ExprKind::cast:
      case ExprKind::generic:
      case ExprKind::designated:
      case ExprKind::binary:
      case ExprKind::pair:
      case ExprKind::index:
      case ExprKind::mask:
        check_child(expr.child.a);
        check_child(expr.child.b);
        break;
      default:
        break;
    }
  }
  int depth = 0;
  for (const Stmt& stmt : tree.stmts) {
    check_span(stmt.span);
    depth += stmt.kind == StmtKind::block_begin;
    depth -= stmt.kind == StmtKind::block_end;
    HEDDLE_CHECK(depth >= 0);
  }
  HEDDLE_CHECK(depth == 0);
  for (const Function& function : tree.functions) {
    check_range(function.body, tree.stmts.size());
    check_range(function.params, tree.variables.size());
    check_range(function.returns, tree.variables.size());
    check_range(function.directives, tree.directives.size());
  }
  for (const Instruction& instruction : tree.instructions) {
    check_span(instruction.mnemonic_span);
    check_range(instruction.operands, tree.expr_lists.size());
  }
}

}  // namespace
}  // namespace heddle::syntax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  diag::Source source("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  diag::Report report;
  const syntax::Tree tree = syntax::parse(source, report);
  syntax::check_tree(tree, size);
  render_text(report, source, true);
  diag::render_json({{source, report}});
  return 0;
}
