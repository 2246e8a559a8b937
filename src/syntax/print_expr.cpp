// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions and operands as text, with parentheses only where precedence requires them. PTX ISA
// 4.5, chapter 6.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <iterator>
#include <utility>

#include "syntax/printer_impl.h"

namespace heddle::syntax {
namespace {

// Table 4 of 4.5.4; the parser's table has the same numbers for the binary operators.
enum Precedence : unsigned { kTernary = 0, kBitOr = 3, kUnary = 11, kPrimary = 12 };

struct OpText {
  std::string_view text;
  unsigned precedence;
};
constexpr OpText kOps[] = {
    {"", 0},   {"+", 11}, {"-", 11}, {"!", 11}, {"~", 11}, {"(.s64)", 11}, {"(.u64)", 11},
    {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},      {">>", 8},
    {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},      {"&", 5},
    {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1},
};
static_assert(std::size(kOps) == static_cast<std::size_t>(Op::logical_or) + 1);

unsigned precedence_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::ternary:
      return kTernary;
    case ExprKind::binary:
    case ExprKind::unary:
    case ExprKind::cast:
      return kOps[expr.op].precedence;
    default:
      return kPrimary;
  }
}

bool is_destination(const Tree& tree, const Expr& expr) {
  return (expr.kind == ExprKind::name && tree.names[expr.name_id] != "WARP_SZ") ||
         expr.kind == ExprKind::component || expr.kind == ExprKind::sink ||
         expr.kind == ExprKind::index;
}

}  // namespace

// At the top of an operand `a | b` would be read as a pair of destinations.
bool Printer::looks_like_pair(ExprId id) const {
  for (;;) {
    const Expr& expr = tree_[id];
    if (expr.kind == ExprKind::ternary) {
      id = tree_.expr_lists[expr.list.first];
    } else if (expr.kind == ExprKind::binary && kOps[expr.op].precedence <= kBitOr) {
      if (static_cast<Op>(expr.op) == Op::bit_or && is_destination(tree_, tree_[expr.child.a]))
        return true;
      id = expr.child.a;
    } else {
      return false;
    }
  }
}

void Printer::operand(ExprId id) {
  if (!looks_like_pair(id)) return expr(id, kTernary);
  out_ += '(';
  expr(id, kTernary);
  out_ += ')';
}

void Printer::list(Range<ExprId> range, char open, char close, bool compact) {
  out_ += open;
  for (u32 i = 0; i < range.count; ++i) {
    if (i) out_ += ", ";
    const ExprId id = tree_.expr_lists[range.first + i];
    const bool was = std::exchange(compact_, compact);
    expr(id, kTernary);
    compact_ = was;
  }
  out_ += close;
}

void Printer::integer(const Expr& expr) {
  if (source_) return void(out_ += source_->text(expr.span));
  const auto into = std::back_inserter(out_);
  switch (expr.radix) {
    case 16:
      fmt::format_to(into, "0x{:x}", expr.value);
      break;
    case 8:
      fmt::format_to(into, "0{:o}", expr.value);
      break;
    case 2:
      fmt::format_to(into, "0b{:b}", expr.value);
      break;
    default:
      fmt::format_to(into, "{}", expr.value);
  }
  if (expr.op && !(expr.value >> 63)) out_ += 'U';
}

void Printer::real(const Expr& expr) {
  if (source_) return void(out_ += source_->text(expr.span));
  const double value = std::bit_cast<double>(expr.value);
  // Decimal notation has neither sign nor infinity: those came from 0d notation.
  const bool decimal =
      expr.radix == 10 && value >= 0 && value <= 1.7976931348623157e308 && !(expr.value >> 63);
  if (!decimal) {
    fmt::format_to(std::back_inserter(out_), "0d{:016x}", expr.value);
    return;
  }
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, value).ptr;
  const std::string_view shortest(text, static_cast<std::size_t>(end - text));
  out_ += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void Printer::binary(const Expr& node) {
  const OpText& op = kOps[node.op];
  const ExprId right = node.child.b;
  expr(node.child.a, op.precedence);
  const bool blanks = !compact_;
  if (blanks) out_ += ' ';
  out_ += op.text;
  if (blanks || static_cast<Op>(node.op) == Op::rem) out_ += ' ';
  expr(right, op.precedence + 1);
}

void Printer::expr(ExprId id, unsigned min_precedence) {
  const Expr& node = tree_[id];
  const unsigned precedence = precedence_of(node);
  const bool group = precedence < min_precedence;
  if (group) out_ += '(';
  switch (node.kind) {
    case ExprKind::error:
      out_ += "<error>";
      break;
    case ExprKind::integer:
      integer(node);
      break;
    case ExprKind::real:
      real(node);
      break;
    case ExprKind::real32:
      if (source_) {
        out_ += source_->text(node.span);
        break;
      }
      fmt::format_to(std::back_inserter(out_), "0f{:08x}", node.value);
      break;
    case ExprKind::string:
      (out_ += '"').append(name(node.name_id)) += '"';
      break;
    case ExprKind::name:
      out_ += name(node.name_id);
      break;
    case ExprKind::component:
      expr(node.child.a, kPrimary);
      (out_ += '.').append(name(node.field));
      break;
    case ExprKind::sink:
      out_ += '_';
      break;
    case ExprKind::unary:
    case ExprKind::cast:
      out_ += kOps[node.op].text;
      expr(node.child.a, kUnary);
      break;
    case ExprKind::binary:
      binary(node);
      break;
    case ExprKind::ternary: {
      const ExprId* parts = &tree_.expr_lists[node.list.first];
      expr(parts[0], kTernary + 1);
      out_ += " ? ";
      expr(parts[1], kTernary);
      out_ += " : ";
      expr(parts[2], kTernary);
      break;
    }
    case ExprKind::vector:
      list(node.list, '{', '}', false);
      break;
    case ExprKind::list:
      list(node.list, '(', ')', false);
      break;
    case ExprKind::address:
      list(node.list, '[', ']', true);
      if (node.field) (out_ += '.').append(name(node.field));
      break;
    case ExprKind::pair:
      expr(node.child.a, kUnary);
      out_ += '|';
      expr(node.child.b, kUnary);
      break;
    case ExprKind::index:
      expr(node.child.a, kPrimary);
      out_ += '[';
      expr(node.child.b, kTernary);
      out_ += ']';
      break;
    case ExprKind::generic:
      out_ += "generic(";
      expr(node.child.a, kTernary);
      out_ += ')';
      break;
    case ExprKind::mask:
      expr(node.child.b, kPrimary);
      out_ += '(';
      expr(node.child.a, kTernary);
      out_ += ')';
      break;
    case ExprKind::designated:
      out_.append(name(node.field)) += " = ";
      expr(node.child.a, kTernary);
      break;
  }
  if (group) out_ += ')';
}

}  // namespace heddle::syntax
