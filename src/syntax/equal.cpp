// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/equal.h"

namespace heddle::syntax {
namespace {

/// Compares two trees piece by piece; ids are not compared, because each tree has its own.
class Comparison {
 public:
  Comparison(const Tree& a, const Tree& b) : a_(a), b_(b) {}

  bool run() {
    if (a_.stmts.size() != b_.stmts.size()) return false;
    for (std::size_t i = 0; i < a_.stmts.size(); ++i) {
      if (!same(a_.stmts[i], b_.stmts[i])) return false;
    }
    return true;
  }

 private:
  bool same(NameId a, NameId b) {
    if (!a || !b) return !a && !b;
    return a_.names[a] == b_.names[b];
  }

  bool same(const Stmt& a, const Stmt& b) {
    if (a.kind != b.kind) return false;
    const auto each = [&](auto member) { return same((a_.*member)[a.data], (b_.*member)[b.data]); };
    switch (a.kind) {
      case StmtKind::block_begin:
      case StmtKind::block_end:
      case StmtKind::error:
        return true;
      case StmtKind::address_size:
        return a.data == b.data;
      case StmtKind::label:
        return same(NameId(a.data), NameId(b.data));
      case StmtKind::version:
        return each(&Tree::versions);
      case StmtKind::target:
      case StmtKind::branchtargets:
      case StmtKind::calltargets:
        return each(&Tree::targets);
      case StmtKind::variable:
        return each(&Tree::variables);
      case StmtKind::function:
      case StmtKind::callprototype:
        return each(&Tree::functions);
      case StmtKind::instruction:
        return each(&Tree::instructions);
      case StmtKind::pragma:
        return each(&Tree::directives);
      case StmtKind::loc:
        return each(&Tree::locs);
      case StmtKind::file:
        return each(&Tree::files);
      case StmtKind::section:
      case StmtKind::dwarf:
        return each(&Tree::sections);
      case StmtKind::alias:
        return each(&Tree::aliases);
    }
    return false;
  }

  bool same(const Version& a, const Version& b) { return a.major == b.major && a.minor == b.minor; }

  bool same(const NameUse& a, const NameUse& b) {
    return same(a.name, b.name) && same(a.count, b.count);
  }

  bool same(const TargetList& a, const TargetList& b) {
    return same(a.names, b.names, &Tree::name_lists);
  }

  bool same(const Alias& a, const Alias& b) {
    return same(a.alias, b.alias) && same(a.aliasee, b.aliasee);
  }

  bool same(const File& a, const File& b) {
    return a.index == b.index && same(a.path, b.path) && a.has_times == b.has_times &&
           a.timestamp == b.timestamp && a.size == b.size;
  }

  bool same(const Loc& a, const Loc& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column && a.inlined == b.inlined &&
           same(a.function, b.function) && a.function_offset == b.function_offset &&
           a.at_file == b.at_file && a.at_line == b.at_line && a.at_column == b.at_column;
  }

  bool same(const Section& a, const Section& b) {
    return same(a.name, b.name) && same(a.body, b.body);
  }

  bool same(const Directive& a, const Directive& b) {
    return same(a.name, b.name) && same(a.args, b.args);
  }

  bool same(const Instruction& a, const Instruction& b) {
    return same(a.guard.predicate, b.guard.predicate) && a.guard.negated == b.guard.negated &&
           same(a.mnemonic, b.mnemonic) && same(a.operands, b.operands);
  }

  bool same(const Variable& a, const Variable& b) {
    return same(a.space, b.space) && same(a.type, b.type) && same(a.vector, b.vector) &&
           same(a.linkage, b.linkage) && same(a.name, b.name) && same(a.align, b.align) &&
           same(a.count, b.count) && a.bank == b.bank && a.is_array == b.is_array &&
           same(a.dims, b.dims) && same(a.initializer, b.initializer) &&
           same(a.attributes, b.attributes, &Tree::directives);
  }

  bool same(const Function& a, const Function& b) {
    return a.kind == b.kind && same(a.linkage, b.linkage) && same(a.name, b.name) &&
           a.has_params == b.has_params && a.has_return == b.has_return &&
           a.has_body == b.has_body && same(a.returns, b.returns, &Tree::variables) &&
           same(a.params, b.params, &Tree::variables) &&
           same(a.directives, b.directives, &Tree::directives) && a.body.count == b.body.count;
  }

  template <class Table>
  bool same(Range<u32> a, Range<u32> b, Table Tree::* elements) {
    if (a.count != b.count) return false;
    for (u32 i = 0; i < a.count; ++i) {
      if (!same((a_.*elements)[a.first + i], (b_.*elements)[b.first + i])) return false;
    }
    return true;
  }

  bool same(Range<ExprId> a, Range<ExprId> b) {
    if (a.count != b.count) return false;
    for (u32 i = 0; i < a.count; ++i) {
      if (!same(a_.expr_lists[a.first + i], b_.expr_lists[b.first + i])) return false;
    }
    return true;
  }

  bool same(ExprId x, ExprId y) {
    if (!x || !y) return !x && !y;
    const Expr& a = a_[x];
    const Expr& b = b_[y];
    if (a.kind != b.kind || a.op != b.op || !same(a.field, b.field)) return false;
    switch (a.kind) {
      case ExprKind::error:
      case ExprKind::sink:
        return true;
      case ExprKind::integer:
      case ExprKind::real:
      case ExprKind::real32:
        return a.value == b.value;
      case ExprKind::string:
      case ExprKind::name:
        return same(a.name_id, b.name_id);
      case ExprKind::ternary:
      case ExprKind::vector:
      case ExprKind::list:
      case ExprKind::address:
        return same(a.list, b.list);
      default:
        return same(a.child.a, b.child.a) && same(a.child.b, b.child.b);
    }
  }

  const Tree& a_;
  const Tree& b_;
};

}  // namespace

bool equal(const Tree& a, const Tree& b) { return Comparison(a, b).run(); }

}  // namespace heddle::syntax
