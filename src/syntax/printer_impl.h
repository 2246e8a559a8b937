// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends the text of a tree to one string. Private to src/syntax.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "diag/source.h"
#include "syntax/tree.h"

namespace heddle::syntax {

class Printer {
 public:
  /// With `source`, the text of the tree, numbers keep their notation, and functions are not
  /// preceded by an empty line.
  explicit Printer(const Tree& tree, const diag::Source* source = nullptr)
      : tree_(tree), source_(source) {}
  std::string module();
  std::string expression(ExprId id) {
    operand(id);
    return std::move(out_);
  }

  // For the formatter, which prints statement by statement. Variables that are declared together
  // are several statements.
  void statements(std::span<const Stmt> together);
  /// Indents the line that `stmt` begins.
  void begin(const Stmt& stmt);
  // Bounded, so that the size of the text is not quadratic in the depth.
  void indent() { out_.append(std::min<std::size_t>(depth_, 16) * 4, ' '); }
  std::string& out() { return out_; }
  std::string take() { return std::move(out_); }

 private:
  // printer.cpp
  void statement(const Stmt& stmt);
  void variable(const Variable& variable, bool parameter);
  void declarator(const Variable& variable, bool parameter);
  void function(const Function& function);
  void parameters(Range<u32> range, bool lines);
  void attribute(const Directive& directive);
  void directive(const Directive& directive);
  void instruction(const Instruction& instruction);
  void targets(std::string_view word, const TargetList& list);
  void loc(const Loc& loc);
  void file(const File& file);
  void section(const Section& section);
  void linkage(NameId id);

  // print_expr.cpp
  void operand(ExprId id);
  void expr(ExprId id, unsigned min_precedence);
  void binary(const Expr& node);
  void integer(const Expr& expr);
  void real(const Expr& expr);
  void list(Range<ExprId> range, char open, char close, bool compact);
  bool looks_like_pair(ExprId id) const;

  std::string_view name(NameId id) const { return tree_.names[id]; }

  const Tree& tree_;
  const diag::Source* source_;
  std::string out_;
  std::size_t depth_ = 0;
  bool compact_ = false;  ///< no blanks around operators: inside an address
};

}  // namespace heddle::syntax
