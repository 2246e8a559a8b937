// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error messages for statements that do not parse, and recovery. One mistake gives one diagnostic:
// only the first mistake of a statement is reported, and skipped text is not checked.
#include <algorithm>

#include "base/spelling.h"
#include "syntax/parser_impl.h"

namespace heddle::syntax {

using diag::Kind;

namespace {

/// "did you mean '.func'?" for .fnc, .function and .kernel.
std::string like_a_directive(std::string_view word) {
  constexpr std::size_t kShortest = 3;  // the shortest abbreviation
  if (word == "kernel") return "did you mean '.entry'?";
  Spelling spelling(word, true);
  for (const WordInfo& known : kWords)
    if (known.word_class != WordClass::other) spelling.consider(known.text);
  if (std::string question = spelling.question("."); !question.empty()) return question;
  for (const WordInfo& known : kWords) {
    if (known.word_class != WordClass::other && known.text.size() >= kShortest &&
        word.starts_with(known.text))
      return fmt::format("did you mean '.{}'?", known.text);
  }
  return {};
}

}  // namespace

std::string Parser::describe(const Token& token) const {
  if (token.kind == TokenKind::end) return "the end of the file";
  std::string_view shown = text(token.span);
  const bool cut = shown.size() > 40;
  if (cut) shown = shown.substr(0, 40);
  return fmt::format("'{}{}'", shown, cut ? "..." : "");
}

bool Parser::expected(std::string_view what, std::string_view help) {
  // A missing punctuation mark is reported after the token that it should follow, not on the next
  // line.
  const bool missing = what.starts_with('\'') && tok_.first_on_line && prev_end_ > statement_begin_;
  fail(Kind::expected, missing ? Span{prev_end_, prev_end_} : tok_.span, what, describe(tok_));
  if (missing && last_) last_->label(tok_.span, "found here");
  const bool remainder = at(TokenKind::name) && prev_kind_ == TokenKind::integer &&
                         text().size() > 1 && text()[0] == '%' && text()[1] <= '9';
  this->help(remainder ? "% and a digit make a name: for the remainder write a blank between them"
                       : std::string(help));
  return false;
}

/// Adds a help to the report of fail(), if there was one.
void Parser::help(std::string text) {
  if (last_ && !text.empty()) last_->help(std::move(text));
}

// A statement that lacks only its semicolon is kept, and the next one begins here.
bool Parser::end_statement(std::string_view what) {
  if (accept(TokenKind::semicolon)) return true;
  // `ld.v2.u32 a, b}, [c];`: the brace closes a vector that was never opened, not the block.
  if (at(TokenKind::r_brace) && !tok_.first_on_line &&
      (lexer_.peek() == ',' || lexer_.peek() == ';')) {
    expected(what);
    advance();
    return false;
  }
  if (failed_ || !looks_like_statement()) return expected(what);
  if (report_.error_count() == errors_at_statement_) {
    report_.add(Kind::missing_semicolon, {prev_end_, prev_end_}).help("add ';' here");
  }
  return true;
}

bool Parser::unknown_directive() {
  const std::string_view word = text().substr(1);
  if (looks_like_type(word)) {
    return expected("a state space such as .reg or .global before the type");
  }
  fail(Kind::unknown_directive, tok_.span, text());
  help(like_a_directive(word));
  return false;
}

bool Parser::misplaced(std::string_view help) {
  fail(Kind::misplaced_word, tok_.span, text());
  this->help(std::string(help));
  return false;
}

// Whether the current token begins a statement, with enough certainty to resume there after a
// mistake: it must be first on its line, or be able to begin only a statement.
bool Parser::looks_like_statement() {
  switch (tok_.kind) {
    case TokenKind::end:
    case TokenKind::r_brace:
      return true;
    case TokenKind::at:
    case TokenKind::at_at:
    case TokenKind::l_brace:
      return tok_.first_on_line;
    case TokenKind::dotted:
      return tok_.first_on_line && begins_statement(text().substr(1));
    case TokenKind::name:
      break;
    default:
      return false;
  }
  if (!tok_.first_on_line || text()[0] == '%') return false;
  if (source_.text().substr(tok_.span.end).starts_with('.')) return true;
  for (const std::string_view word : {"ret", "exit", "trap", "bra", "call", "brkpt"}) {
    if (text() == word) return true;
  }
  return lexer_.peek() == ':';
}

void Parser::recover() {
  lexer_.mute(true);
  if (blocks_.empty()) {
    recover_module();
  } else {
    // Braces of vectors that were open at the mistake are closed before the block's.
    unsigned braces = open_braces_;
    while (!at(TokenKind::end)) {
      if (at(TokenKind::semicolon)) {
        advance();
        break;
      }
      if (at(TokenKind::r_brace)) {
        if (braces == 0) break;
        --braces;
      } else if (tok_.first_on_line && prev_kind_ != TokenKind::comma && looks_like_statement()) {
        break;
      } else if (at(TokenKind::l_brace)) {
        ++braces;
      }
      advance();
    }
  }
  lexer_.mute(false);
}

// Outside of functions only directives begin statements; a block belongs to the wrong statement.
void Parser::recover_module() {
  while (!at(TokenKind::end)) {
    if (at(TokenKind::semicolon) && !outside_reported_) {
      advance();
      return;
    }
    if (at(TokenKind::l_brace)) {
      skip_braces();
      if (outside_reported_) continue;
      accept(TokenKind::semicolon);
      return;
    }
    if (at(TokenKind::dotted) && tok_.first_on_line && prev_kind_ != TokenKind::comma &&
        looks_like_statement()) {
      return;
    }
    advance();
  }
}

void Parser::skip_braces() {
  unsigned depth = 0;
  do {
    if (at(TokenKind::l_brace)) ++depth;
    if (at(TokenKind::r_brace)) --depth;
    advance();
  } while (depth > 0 && !at(TokenKind::end));
}

// After a mistake in the content of a .section, whose braces are not a block.
void Parser::skip_section() {
  lexer_.mute(true);
  while (!at(TokenKind::end) && !at(TokenKind::r_brace)) {
    if (at(TokenKind::dotted) && looks_like_statement()) break;
    advance();
  }
  accept(TokenKind::r_brace);
  lexer_.mute(false);
}

// After a mistake in the header of a function: up to its body, its semicolon or the next function.
void Parser::recover_header() {
  lexer_.mute(true);
  while (!at(TokenKind::end) && !at(TokenKind::l_brace) && !at(TokenKind::semicolon)) {
    if (at(TokenKind::dotted)) {
      const NameId id = dotted_id();
      if (is_word(id) && (class_of(word_of(id)) == WordClass::linkage || id == id_of(Word::func) ||
                          id == id_of(Word::entry))) {
        break;
      }
    }
    advance();
  }
  lexer_.mute(false);
}

bool Parser::too_many_errors() {
  if (report_.error_count() - errors_at_start_ < kMostErrors) return false;
  report_.add(Kind::too_many_errors, tok_.span, kMostErrors);
  return true;
}

}  // namespace heddle::syntax
