// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant expressions, and the other parts of operands. PTX ISA 4.5.4 (table 4: precedence),
// 5.4.4, 6.4.
#include <algorithm>

#include "syntax/parser_impl.h"

namespace heddle::syntax {

using diag::Kind;

namespace {

struct BinaryOp {
  Op op = Op::none;
  u8 precedence = 0;  ///< 0: not a binary operator; 1 binds least
};

constexpr BinaryOp binary_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::pipe_pipe:
      return {Op::logical_or, 1};
    case TokenKind::amp_amp:
      return {Op::logical_and, 2};
    case TokenKind::pipe:
      return {Op::bit_or, 3};
    case TokenKind::caret:
      return {Op::bit_xor, 4};
    case TokenKind::amp:
      return {Op::bit_and, 5};
    case TokenKind::equal_equal:
      return {Op::eq, 6};
    case TokenKind::not_equal:
      return {Op::ne, 6};
    case TokenKind::less:
      return {Op::lt, 7};
    case TokenKind::greater:
      return {Op::gt, 7};
    case TokenKind::less_equal:
      return {Op::le, 7};
    case TokenKind::greater_equal:
      return {Op::ge, 7};
    case TokenKind::less_less:
      return {Op::shl, 8};
    case TokenKind::greater_greater:
      return {Op::shr, 8};
    case TokenKind::plus:
      return {Op::add, 9};
    case TokenKind::minus:
      return {Op::sub, 9};
    case TokenKind::star:
      return {Op::mul, 10};
    case TokenKind::slash:
      return {Op::div, 10};
    case TokenKind::percent:
      return {Op::rem, 10};
    default:
      return {};
  }
}

constexpr Op unary_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus:
      return Op::plus;
    case TokenKind::minus:
      return Op::minus;
    case TokenKind::exclaim:
      return Op::logical_not;
    case TokenKind::tilde:
      return Op::complement;
    default:
      return Op::none;
  }
}

}  // namespace

// --- building ---

ExprId Parser::leaf(ExprKind kind, Span span, NameId name) {
  Expr& expr = tree_.exprs.emplace_back();
  expr.kind = kind;
  expr.span = span;
  expr.name_id = name;
  return ExprId(tree_.exprs.size() - 1);
}

ExprId Parser::broken() { return leaf(ExprKind::error, tok_.span, {}); }

ExprId Parser::make(ExprKind kind, Op op, Span span, ExprId a, ExprId b) {
  const unsigned height = 1u + std::max(tree_[a].height, b ? tree_[b].height : u8{0});
  if (height > kMaxDepth) {
    fail(Kind::nested_too_deeply, span, kMaxDepth);
    return broken();
  }
  Expr& expr = tree_.exprs.emplace_back();
  expr.kind = kind;
  expr.op = static_cast<u8>(op);
  expr.span = span;
  expr.child = {a, b};
  expr.height = static_cast<u8>(height);
  return ExprId(tree_.exprs.size() - 1);
}

/// Moves the scratch elements from `base` on into the tree.
Range<ExprId> Parser::take_scratch(std::size_t base) {
  const Range<ExprId> range{static_cast<u32>(tree_.expr_lists.size()),
                            static_cast<u32>(scratch_.size() - base)};
  for (std::size_t i = base; i < scratch_.size(); ++i) tree_.expr_lists.push_back(scratch_[i]);
  scratch_.resize(base);
  return range;
}

ExprId Parser::make_list(ExprKind kind, u32 begin, std::size_t base) {
  unsigned height = 0;
  for (std::size_t i = base; i < scratch_.size(); ++i) {
    height = std::max<unsigned>(height, tree_[scratch_[i]].height);
  }
  if (++height > kMaxDepth) {
    fail(Kind::nested_too_deeply, so_far(begin), kMaxDepth);
    return broken();
  }
  const Range<ExprId> list = take_scratch(base);
  Expr& expr = tree_.exprs.emplace_back();
  expr.kind = kind;
  expr.span = so_far(begin);
  expr.list = list;
  expr.height = static_cast<u8>(height);
  return ExprId(tree_.exprs.size() - 1);
}

// --- expressions ---

ExprId Parser::expression() { return ternary_rest(binary(1)); }

ExprId Parser::ternary_rest(ExprId condition) {
  if (failed_ || !at(TokenKind::question)) return condition;
  const Nest nest(*this);
  if (failed_) return condition;
  const std::size_t base = scratch_.size();
  scratch_.push_back(condition);
  advance();
  const ExprId yes = expression();
  if (failed_ || !expect(TokenKind::colon, "':'")) return yes;
  scratch_.push_back(yes);
  const ExprId no = expression();
  if (failed_) return no;
  scratch_.push_back(no);
  return make_list(ExprKind::ternary, tree_[condition].span.begin, base);
}

ExprId Parser::binary(unsigned min_precedence) { return binary_rest(unary(), min_precedence); }

ExprId Parser::binary_rest(ExprId left, unsigned min_precedence) {
  while (!failed_) {
    const BinaryOp op = binary_op(tok_.kind);
    if (op.precedence < min_precedence) break;  // also for tokens that are no operators
    advance();
    const ExprId right = binary(op.precedence + 1u);
    if (failed_) return right;
    left = make(ExprKind::binary, op.op, join(tree_[left].span, tree_[right].span), left, right);
  }
  return left;
}

ExprId Parser::unary() {
  if (at(TokenKind::name)) return named();
  const Op op = unary_op(tok_.kind);
  if (op == Op::none) return primary();
  const Nest nest(*this);
  if (failed_) return broken();
  const u32 begin = tok_.span.begin;
  advance();
  const ExprId operand = unary();
  return failed_ ? operand : make(ExprKind::unary, op, so_far(begin), operand);
}

ExprId Parser::primary() {
  switch (tok_.kind) {
    case TokenKind::name:
      return named();
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::real32:
      return number();
    case TokenKind::l_paren:
      return group_or_cast();
    case TokenKind::sink: {
      const ExprId id = leaf(ExprKind::sink, tok_.span, {});
      advance();
      return id;
    }
    default:
      expected("an operand");
      return broken();
  }
}

ExprId Parser::named() {
  const Span span = tok_.span;
  const NameId name = intern(span);
  advance();
  if (name == id_of(Word::generic) && at(TokenKind::l_paren)) {
    const Nest nest(*this);
    advance();
    const ExprId inner = failed_ ? broken() : expression();
    if (failed_ || !expect(TokenKind::r_paren, "')'")) return inner;
    return make(ExprKind::generic, Op::none, so_far(span.begin), inner);
  }
  const ExprId id = leaf(ExprKind::name, span, name);
  return at(TokenKind::dotted) || at(TokenKind::l_bracket) ? postfix(id) : id;
}

// v.x and a[3]. A dotted word on the next line is a directive after a missing semicolon; a bracket
// after a blank is an address after a missing comma.
ExprId Parser::postfix(ExprId base) {
  while (!failed_) {
    const Span span = tree_[base].span;
    if (at(TokenKind::dotted) && !tok_.first_on_line) {
      const NameId field = dotted_id();
      advance();
      base = make(ExprKind::component, Op::none, so_far(span.begin), base);
      tree_.exprs[base.value].field = field;
    } else if (at(TokenKind::l_bracket) && (tok_.span.begin == span.end || text(span)[0] != '%')) {
      const Nest nest(*this);
      advance();
      const ExprId index = failed_ ? broken() : expression();
      if (failed_ || !expect(TokenKind::r_bracket, "']'")) return index;
      base = make(ExprKind::index, Op::none, so_far(span.begin), base, index);
    } else {
      break;
    }
  }
  return base;
}

ExprId Parser::literal() {
  Expr& expr = tree_.exprs.emplace_back();
  expr.kind = at(TokenKind::integer) ? ExprKind::integer
              : at(TokenKind::real)  ? ExprKind::real
                                     : ExprKind::real32;
  expr.span = tok_.span;
  expr.value = tok_.value;
  expr.op = tok_.is_unsigned;
  expr.radix = tok_.radix;
  advance();
  return ExprId(tree_.exprs.size() - 1);
}

ExprId Parser::integer_literal(std::string_view what) {
  if (at(TokenKind::integer)) return literal();
  expected(what);
  return broken();
}

ExprId Parser::number() {
  const ExprId id = literal();
  // 0xff00(name): some bits of an address, in an initialiser (5.4.4).
  if (!at(TokenKind::l_paren) || tree_[id].kind != ExprKind::integer) return id;
  const Span span = tree_[id].span;
  const Nest nest(*this);
  advance();
  const ExprId inner = failed_ ? broken() : expression();
  if (failed_ || !expect(TokenKind::r_paren, "')'")) return inner;
  return make(ExprKind::mask, Op::none, so_far(span.begin), inner, id);
}

ExprId Parser::group_or_cast() {
  const Nest nest(*this);
  if (failed_) return broken();
  const u32 begin = tok_.span.begin;
  advance();
  if (at(TokenKind::dotted)) {
    const bool to_signed = at_word(Word::s64);
    if (!to_signed && !at_word(Word::u64)) {
      expected(".s64 or .u64");
      return broken();
    }
    advance();
    if (!expect(TokenKind::r_paren, "')'")) return broken();
    const ExprId operand = unary();
    if (failed_) return operand;
    return make(ExprKind::cast, to_signed ? Op::to_s64 : Op::to_u64, so_far(begin), operand);
  }
  if (at_new_name()) {  // (4.5: parentheses belong to constant expressions)
    expected("a constant");
    return broken();
  }
  const ExprId inner = expression();
  if (!failed_) expect(TokenKind::r_paren, "')'");
  return inner;
}

}  // namespace heddle::syntax
