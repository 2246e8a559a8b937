// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives that declare neither a variable nor a function. PTX ISA 11.1, 11.2.3, 11.3, 11.4.7.
#include <charconv>

#include "syntax/parser_impl.h"

namespace heddle::syntax {

using diag::Kind;

bool Parser::u64_literal(u64& value, std::string_view what) {
  if (!at(TokenKind::integer)) return expected(what);
  value = tok_.value;
  advance();
  return true;
}

bool Parser::u32_literal(u32& value, std::string_view what) {
  if (at(TokenKind::integer) && tok_.value >> 32) {
    return fail(Kind::expected, tok_.span, fmt::format("{} below 2^32", what), describe(tok_));
  }
  u64 wide = 0;
  if (!u64_literal(wide, what)) return false;
  value = static_cast<u32>(wide);
  return true;
}

/// Consumes a string; returns the raw text between its quotes.
NameId Parser::string_id() {
  Span inner{tok_.span.begin + 1, tok_.span.end};
  if (!inner.empty() && text(inner).back() == '"') --inner.end;
  advance();
  return intern(inner);
}

// --- the module's header (11.1) ---

bool Parser::version() {
  const u32 begin = tok_.span.begin;
  advance();
  const std::string_view digits = text();
  Version version;
  const char* end = digits.data() + digits.size();
  auto parsed = std::from_chars(digits.data(), end, version.major);
  bool good = at(TokenKind::real) && parsed.ec == std::errc() && parsed.ptr != end;
  if (good) parsed = std::from_chars(parsed.ptr + 1, end, version.minor);
  good = good && parsed.ec == std::errc() && parsed.ptr == end;
  if (!good) return expected("a version such as 8.5");
  advance();
  push(StmtKind::version, so_far(begin), tree_.versions.size());
  tree_.versions.push_back(version);
  return true;
}

bool Parser::target() {
  const u32 begin = tok_.span.begin;
  advance();
  Range<u32> names{static_cast<u32>(tree_.name_lists.size()), 0};
  do {
    NameUse use;
    if (!name_use(use, "a target such as sm_90")) return false;
    tree_.name_lists.push_back(use);
    ++names.count;
  } while (accept(TokenKind::comma));
  push(StmtKind::target, so_far(begin), tree_.targets.size());
  tree_.targets.push_back({names});
  return true;
}

bool Parser::address_size() {
  const u32 begin = tok_.span.begin;
  advance();
  u32 size = 0;
  if (!u32_literal(size, "32 or 64")) return false;
  push(StmtKind::address_size, so_far(begin), size);
  return true;
}

// --- lists of names (11.2.3, 11.3) ---

bool Parser::name_use(NameUse& use, std::string_view what) {
  if (!at(TokenKind::name)) return expected(what);
  use.name = intern(tok_.span);
  use.span = tok_.span;
  advance();
  return true;
}

bool Parser::alias() {
  const u32 begin = tok_.span.begin;
  advance();
  Alias alias;
  if (!name_use(alias.alias, "the name of a function") || !expect(TokenKind::comma, "','") ||
      !name_use(alias.aliasee, "the name of a function") || !end_statement("';'")) {
    return false;
  }
  push(StmtKind::alias, so_far(begin), tree_.aliases.size());
  tree_.aliases.push_back(alias);
  return true;
}

bool Parser::needs_label() {
  if (blocks_.empty()) return outside_function(fmt::format("'{}'", text()));
  if (!tree_.stmts.empty() && tree_.stmts.back().kind == StmtKind::label) return true;
  return fail(Kind::needs_label, tok_.span, text());
}

// label: .branchtargets A, B, N<5>;
bool Parser::targets(StmtKind kind) {
  if (!needs_label()) return false;
  const u32 begin = tok_.span.begin;
  advance();
  Range<u32> names{static_cast<u32>(tree_.name_lists.size()), 0};
  do {
    NameUse use;
    if (!name_use(use, kind == StmtKind::calltargets ? "the name of a function" : "a label")) {
      return false;
    }
    if (accept(TokenKind::less)) {
      use.count = integer_literal("how many labels this stands for");
      if (failed_ || !expect(TokenKind::greater, "'>'")) return false;
      use.span = so_far(use.span.begin);
    }
    tree_.name_lists.push_back(use);
    ++names.count;
  } while (accept(TokenKind::comma));
  if (!end_statement("',' or ';'")) return false;
  push(kind, so_far(begin), tree_.targets.size());
  tree_.targets.push_back({names});
  return true;
}

bool Parser::pragma(Directive& into) {
  const u32 begin = tok_.span.begin;
  into.name = dotted_id();
  advance();
  const std::size_t base = scratch_.size();
  do {
    if (!at(TokenKind::string)) return expected("a string");
    const Span span = tok_.span;
    scratch_.push_back(leaf(ExprKind::string, span, string_id()));
  } while (accept(TokenKind::comma));
  into.args = take_scratch(base);
  if (!end_statement("',' or ';'")) return false;
  into.span = so_far(begin);
  return true;
}

}  // namespace heddle::syntax
