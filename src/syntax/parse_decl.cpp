// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables, functions and prototypes. PTX ISA chapter 5, 11.2, 11.3.3, 11.4.
#include "syntax/parser_impl.h"

namespace heddle::syntax {

using diag::Kind;

/// Whether a name that may be declared follows. WARP_SZ is a constant (4.4.1), so nothing else may
/// have that name.
bool Parser::at_new_name() {
  return at(TokenKind::name) && intern(tok_.span) != id_of(Word::warp_sz);
}

// --- variables (5.4) ---

bool Parser::variable(NameId linkage, u32 begin) {
  Variable shared;
  shared.linkage = linkage;
  if (!type_words(shared)) return false;
  do {
    Variable one = shared;
    if (!at_new_name()) return expected("a name");
    if (!declarator(one, Counted::yes)) return false;
    if (at(TokenKind::equals)) {
      advance();
      one.initializer = at(TokenKind::l_brace) ? vector() : expression();
      if (failed_) return false;
    }
    one.span = so_far(begin);
    push(StmtKind::variable, one.span, tree_.variables.size());
    tree_.variables.push_back(one);
  } while (accept(TokenKind::comma));
  return end_statement("',' or ';'");
}

/// "did you mean '.u32'?" if the current token is a type without its dot.
std::string Parser::dot_before_type() const {
  return at(TokenKind::name) && looks_like_type(text()) ? fmt::format("did you mean '.{}'?", text())
                                                        : std::string();
}

// Types that are also words of the grammar.
bool Parser::is_type(Word word) {
  return word == Word::u64 || word == Word::s64 || is_object(word);
}
bool Parser::is_object(Word word) {
  return word == Word::texref || word == Word::samplerref || word == Word::surfref;
}

// .space [bank] { .attribute( ) | .align N } .vector .type { .ptr .space .align N | .align N }
bool Parser::type_words(Variable& variable) {
  variable.space = dotted_id();
  advance();
  if (variable.space == id_of(Word::const_) && at(TokenKind::l_bracket) && !bank(variable)) {
    return false;
  }
  std::vector<Directive> attributes;
  while (at(TokenKind::dotted)) {
    const NameId id = dotted_id();
    if (id == id_of(Word::attribute)) {
      if (!attribute(attributes)) return false;
      continue;
    }
    if (id == id_of(Word::align)) {
      advance();
      variable.align = integer_literal("the alignment in bytes");
      if (failed_) return false;
      continue;
    }
    const bool is_vector = id == id_of(Word::v2) || id == id_of(Word::v4) || id == id_of(Word::v8);
    if (is_vector && !variable.vector) {
      variable.vector = id;
    } else if (is_word(id) && !is_type(word_of(id))) {
      return expected("a type");
    } else {
      variable.type = id;
      variable.type_span = tok_.span;
    }
    advance();
    if (variable.type) break;
  }
  if (!variable.type) return expected("a type", dot_before_type());
  variable.attributes = {static_cast<u32>(tree_.directives.size()),
                         static_cast<u32>(attributes.size())};
  tree_.directives.insert(tree_.directives.end(), attributes.begin(), attributes.end());
  if (at_word(Word::ptr) && !pointee(variable)) return false;
  // A kernel's parameter may have its alignment after the type, too: the first PTX manuals wrote
  // `.param .b8 .align 8`.
  if (variable.space == id_of(Word::param) && !variable.align && at_word(Word::align)) {
    advance();
    variable.align = integer_literal("the alignment in bytes");
    if (failed_) return false;
  }
  if (!at(TokenKind::dotted)) return true;
  return misplaced("alignment, attributes and vector size stand before the type");
}

// .const[2]: the banks of PTX 1.x (5.1.3.1).
bool Parser::bank(Variable& variable) {
  advance();
  u32 value = 0;
  if (!u32_literal(value, "the number of a constant bank")) return false;
  variable.bank = static_cast<s32>(value & 0x7fffffff);
  return expect(TokenKind::r_bracket, "']'");
}

// .ptr .global .align 16, of a kernel's parameter (5.1.6.3). LLVM writes .ptr .texref, .samplerref
// and .surfref for handles of images, too.
bool Parser::pointee(Variable& variable) {
  const auto add = [&](Range<ExprId> args) {
    tree_.directives.push_back({dotted_id(), tok_.span, args});
    ++variable.attributes.count;
  };
  add({});
  advance();
  if (at(TokenKind::dotted) && !at_word(Word::align)) {
    const NameId id = dotted_id();
    const bool is_space = id == id_of(Word::const_) || id == id_of(Word::global) ||
                          id == id_of(Word::local) || id == id_of(Word::shared);
    if (!is_space && !(is_word(id) && is_object(word_of(id)))) {
      return expected(".const, .global, .local or .shared");
    }
    add({});
    advance();
  }
  if (!at_word(Word::align)) return true;
  add({});
  advance();
  scratch_.push_back(integer_literal("the alignment in bytes"));
  if (failed_) return false;
  tree_.directives.back().args = take_scratch(scratch_.size() - 1);
  return true;
}

// .attribute(.managed, .unified(1, 2)) (5.4.8).
bool Parser::attribute(std::vector<Directive>& into) {
  advance();
  if (!expect(TokenKind::l_paren, "'('")) return false;
  do {
    if (!at(TokenKind::dotted)) return expected("an attribute");
    const NameId id = dotted_id();
    const Span span = tok_.span;
    if (id != id_of(Word::managed) && id != id_of(Word::unified)) {
      fail(Kind::unknown_attribute, span, text());
      help(".managed and .unified are attributes");
      return false;
    }
    advance();
    const std::size_t base = scratch_.size();
    if (id == id_of(Word::unified)) {
      if (!expect(TokenKind::l_paren, "'('")) return false;
      do {
        scratch_.push_back(integer_literal("an integer"));
        if (failed_) return false;
      } while (accept(TokenKind::comma));
      if (!expect(TokenKind::r_paren, "')'")) return false;
    }
    into.push_back({id, so_far(span.begin), take_scratch(base)});
  } while (accept(TokenKind::comma));
  return expect(TokenKind::r_paren, "',' or ')'");
}

// name, name<count>, name[2][3].
bool Parser::declarator(Variable& variable, Counted counted) {
  variable.name = intern(tok_.span);
  variable.name_span = tok_.span;
  advance();
  if (at(TokenKind::less) && counted == Counted::no)
    return misplaced("each parameter is declared by itself");
  if (accept(TokenKind::less)) {
    variable.count = integer_literal("how many names this declares");
    return !failed_ && expect(TokenKind::greater, "'>'");
  }
  const std::size_t base = scratch_.size();
  while (accept(TokenKind::l_bracket)) {
    variable.is_array = true;
    ExprId size;
    if (!at(TokenKind::r_bracket)) size = expression();
    if (failed_ || !expect(TokenKind::r_bracket, "']'")) return false;
    scratch_.push_back(size);
  }
  variable.dims = take_scratch(base);
  return true;
}

// --- functions (11.2) ---

bool Parser::function(NameId linkage, u32 begin) {
  if (!blocks_.empty()) report_unclosed(describe(tok_), tok_.span);
  close_all_blocks();
  outside_reported_ = false;
  Function function;
  function.kind = at_word(Word::entry) ? FunctionKind::entry : FunctionKind::func;
  function.linkage = linkage;
  errors_at_statement_ = report_.error_count();
  advance();

  std::vector<Directive> directives;
  const bool whole = function_header(function, directives);
  if (!whole) {
    scratch_.clear();
    recover_header();
    if (!function.name) return false;
  }
  function.directives = {static_cast<u32>(tree_.directives.size()),
                         static_cast<u32>(directives.size())};
  tree_.directives.insert(tree_.directives.end(), directives.begin(), directives.end());
  function.span = so_far(begin);
  function.is_whole = whole;
  function.has_body = at(TokenKind::l_brace);
  const std::size_t index = tree_.functions.size();
  push(StmtKind::function, function.span, index);
  tree_.functions.push_back(function);
  if (function.has_body) {
    open_block(static_cast<u32>(index));
    // Its parameters may be unknown; the error statement tells the checker.
    if (!whole) push(StmtKind::error, function.span, 0);
    return true;
  }
  if (accept(TokenKind::semicolon) || !whole) return true;
  if (looks_like_body()) {
    fail(Kind::expected, {prev_end_, prev_end_}, "'{'", describe(tok_));
    if (last_) last_->label(tok_.span, "the body seems to begin here");
    tree_.functions[index].has_body = true;
    push(StmtKind::block_begin, {prev_end_, prev_end_}, 0);
    blocks_.push_back(
        {{prev_end_, prev_end_}, static_cast<u32>(index), static_cast<u32>(tree_.stmts.size())});
    return true;
  }
  // The vendor's assembler accepts a declaration without semicolon.
  return looks_like_statement() || expected("'{' or ';'");
}

/// Whether the text after the header of a function is a body whose opening brace is missing.
bool Parser::looks_like_body() {
  if (at(TokenKind::name)) return !is_directive(text(), WordClass::tuning);
  if (at(TokenKind::at)) return true;
  if (!at(TokenKind::dotted) || !tok_.first_on_line) return false;
  // Registers at module scope ended with PTX ISA 3.0, and .local variables there with sm_20.
  const bool may_be_outside = tree_.versions.empty() || tree_.versions.back().major < 3;
  return at_word(Word::loc) || (!may_be_outside && (at_word(Word::reg) || at_word(Word::local)));
}

bool Parser::function_header(Function& function, std::vector<Directive>& directives) {
  while (at_word(Word::attribute)) {
    if (!attribute(directives)) return false;
  }
  // Only kernels may have parameters without a name, which then cannot be read.
  const Nameless nameless = function.kind == FunctionKind::entry ? Nameless::yes : Nameless::no;
  if (at(TokenKind::l_paren)) {
    function.has_return = true;
    if (!parameters(function.returns, nameless)) return false;
  }
  if (!at_new_name()) return expected("the function's name");
  function.name = intern(tok_.span);
  function.name_span = tok_.span;
  advance();
  if (at(TokenKind::l_paren)) {
    function.has_params = true;
    if (!parameters(function.params, nameless)) return false;
  }
  return tuning(directives);
}

bool Parser::parameters(Range<u32>& into, Nameless nameless) {
  std::vector<Variable> variables;
  advance();
  while (!at(TokenKind::r_paren)) {
    const u32 begin = tok_.span.begin;
    NameId linkage;
    if (at_word(Word::hidden)) {  // a parameter that a compiler adds to those of the source
      linkage = dotted_id();
      advance();
    }
    const NameId id = at(TokenKind::dotted) ? dotted_id() : NameId();
    if (!id || !is_word(id) || class_of(word_of(id)) != WordClass::space) {
      return expected(".param or .reg");
    }
    Variable variable;
    variable.linkage = linkage;
    if (!type_words(variable)) return false;
    if (!at_new_name() && !(at(TokenKind::sink) && nameless == Nameless::yes)) {
      return expected("the parameter's name", nameless == Nameless::yes
                                                  ? "a parameter that needs no name is called _"
                                                  : "");
    }
    if (!declarator(variable, Counted::no)) return false;
    variable.span = so_far(begin);
    variables.push_back(variable);
    if (at(TokenKind::r_paren)) break;
    if (!expect(TokenKind::comma, "',' or ')'")) return false;
    if (at(TokenKind::r_paren)) return expected("a parameter");
  }
  advance();
  into = {static_cast<u32>(tree_.variables.size()), static_cast<u32>(variables.size())};
  tree_.variables.insert(tree_.variables.end(), variables.begin(), variables.end());
  return true;
}

// Between the parameters and the body: .maxntid 32, 1 .noreturn .pragma "nounroll"; (11.4, 11.7).
bool Parser::tuning(std::vector<Directive>& into) {
  while (at(TokenKind::dotted)) {
    const NameId id = dotted_id();
    if (id == id_of(Word::pragma)) {
      if (!pragma(into.emplace_back())) return false;
      continue;
    }
    if (!is_word(id)) return unknown_directive();
    const WordClass word_class = class_of(word_of(id));
    if (word_class != WordClass::tuning) {
      return word_class != WordClass::other ||
             misplaced("it stands before the function's name or in a parameter");
    }
    const u32 begin = tok_.span.begin;
    advance();
    const std::size_t base = scratch_.size();
    if (at(TokenKind::integer)) {
      do {
        scratch_.push_back(integer_literal("an integer"));
        if (failed_) return false;
      } while (accept(TokenKind::comma));
    }
    into.push_back({id, so_far(begin), take_scratch(base)});
  }
  return true;
}

// label: .callprototype (returns) _ (params) .noreturn ; (11.3.3).
bool Parser::callprototype() {
  if (!needs_label()) return false;
  const u32 begin = tok_.span.begin;
  Function function;
  function.kind = FunctionKind::prototype;
  advance();
  if (at(TokenKind::l_paren)) {
    function.has_return = true;
    if (!parameters(function.returns, Nameless::yes)) return false;
  }
  if (!at(TokenKind::sink)) {
    return expected("_", "a prototype stands for many functions, so it has no name");
  }
  function.name = intern(tok_.span);
  function.name_span = tok_.span;
  advance();
  if (at(TokenKind::l_paren)) {
    function.has_params = true;
    if (!parameters(function.params, Nameless::yes)) return false;
  }
  std::vector<Directive> directives;
  if (!tuning(directives) || !end_statement("';'")) return false;
  function.directives = {static_cast<u32>(tree_.directives.size()),
                         static_cast<u32>(directives.size())};
  tree_.directives.insert(tree_.directives.end(), directives.begin(), directives.end());
  function.span = so_far(begin);
  push(StmtKind::callprototype, function.span, tree_.functions.size());
  tree_.functions.push_back(function);
  return true;
}

}  // namespace heddle::syntax
