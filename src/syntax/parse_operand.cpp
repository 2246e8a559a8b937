// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of instructions, and lists of expressions in brackets. PTX ISA chapter 6, 9.7.12.5.
#include "syntax/chars.h"
#include "syntax/parser_impl.h"

namespace heddle::syntax {

/// Whether the parenthesis begins a list, as in `call (d), f, (a);`, and not a constant expression.
/// A name begins a list with any opcode, because `call` may be misspelt.
bool Parser::begins_list() {
  const char next = lexer_.peek();
  if (in_call_) return next != '.';
  const std::string_view rest = source_.text().substr(lexer_.offset());
  return next == ')' || (chars::is(next, chars::kStart) && !rest.starts_with("WARP_SZ"));
}

ExprId Parser::operand() {
  switch (tok_.kind) {
    case TokenKind::l_bracket:
      return address();
    case TokenKind::l_paren:
      if (begins_list()) return call_list();
      break;
    default:
      break;
  }
  const bool braces = at(TokenKind::l_brace);
  const ExprId left = braces ? vector() : unary();
  if (failed_) return left;
  if (at(TokenKind::comma) || at(TokenKind::semicolon)) return left;
  // `d|p` are two destinations; `1|2` is a constant.
  if (at(TokenKind::pipe)) {
    const Expr& expr = tree_[left];
    const bool destination = expr.kind == ExprKind::component || expr.kind == ExprKind::sink ||
                             expr.kind == ExprKind::vector || expr.kind == ExprKind::index ||
                             (expr.kind == ExprKind::name && expr.name_id != id_of(Word::warp_sz));
    if (destination) {
      const Span begin = expr.span;
      advance();
      const ExprId right = unary();
      return failed_ ? right
                     : make(ExprKind::pair, Op::none, join(begin, tree_[right].span), left, right);
    }
  }
  return braces ? left : ternary_rest(binary_rest(left, 1));
}

/// An element inside { }, [ ] or ( ): a nested vector or an expression.
ExprId Parser::element() {
  if (at(TokenKind::l_brace)) return vector();
  const ExprId value = expression();
  if (!at(TokenKind::equals) || failed_ || tree_[value].kind != ExprKind::name) return value;
  // A member of an opaque variable: { filter_mode = nearest } (5.3.2).
  advance();
  const Span begin = tree_[value].span;
  const NameId member = tree_[value].name_id;
  const ExprId given = expression();
  if (failed_) return given;
  const ExprId id = make(ExprKind::designated, Op::none, join(begin, tree_[given].span), given);
  tree_.exprs[id.value].field = member;
  return id;
}

bool Parser::elements(TokenKind close, std::string_view what) {
  do {
    const ExprId id = element();
    if (failed_) return false;
    scratch_.push_back(id);
  } while (accept(TokenKind::comma));
  return expect(close, what);
}

ExprId Parser::vector() {
  const Nest nest(*this);
  if (failed_) return broken();
  const u32 begin = tok_.span.begin;
  const std::size_t base = scratch_.size();
  ++open_braces_;
  advance();
  if (at(TokenKind::r_brace)) {
    advance();
  } else if (!elements(TokenKind::r_brace, "',' or '}'")) {
    return broken();
  }
  --open_braces_;
  return make_list(ExprKind::vector, begin, base);
}

ExprId Parser::call_list() {
  const u32 begin = tok_.span.begin;
  const std::size_t base = scratch_.size();
  advance();
  if (at(TokenKind::r_paren)) {
    advance();
  } else if (!elements(TokenKind::r_paren, "',' or ')'")) {
    return broken();
  }
  return make_list(ExprKind::list, begin, base);
}

ExprId Parser::address() {
  const u32 begin = tok_.span.begin;
  const std::size_t base = scratch_.size();
  advance();
  if (!elements(TokenKind::r_bracket, "',' or ']'")) return broken();
  const ExprId id = make_list(ExprKind::address, begin, base);
  if (!failed_ && at(TokenKind::dotted) && !tok_.first_on_line) {  // [a].unified
    tree_.exprs[id.value].field = dotted_id();
    advance();
    tree_.exprs[id.value].span = so_far(begin);
  }
  return id;
}

}  // namespace heddle::syntax
