// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blanks, comments, words, strings, punctuation. Numbers are in lex_number.cpp. The text of a
// Source ends with a NUL, so no loop here needs to compare with the end except where a NUL is met.
#include "syntax/lexer.h"

#include <array>
#include <charconv>
#include <cstring>

#include "syntax/chars.h"
#include "syntax/words.h"

namespace heddle::syntax {

using chars::is;
using chars::kBlank;
using chars::kDigit;
using chars::kFollow;
using chars::kLetter;
using chars::kStart;
using diag::Kind;

Lexer::Lexer(diag::Source& source, diag::Report& report)
    : source_(source),
      report_(report),
      begin_(source.text().data()),
      end_(begin_ + source.text().size()),
      at_(begin_),
      errors_at_start_(report.error_count()) {}

bool Lexer::is_quiet() const {
  return muted_ || report_.error_count() - errors_at_start_ >= kMostErrors;
}

inline void Lexer::skip_blanks() {
  const char* p = at_;
  while (*p == ' ' || *p == '\t') ++p;
  at_ = p;
  if (is(*p, kBlank) || *p == '/' || *p == '#') skip_lines();
}

void Lexer::skip_lines() {
  for (;;) {
    const char c = *at_;
    if (is(c, kBlank)) {
      const char* p = at_;
      bool newline = newline_;
      do newline |= *p == '\n';
      while (is(*++p, kBlank));
      newline_ = newline;
      at_ = p;
    } else if (c == '/' && at_[1] == '/') {
      const void* end = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      at_ = end ? static_cast<const char*>(end) : end_;
    } else if (c == '/' && at_[1] == '*') {
      skip_block_comment();
    } else if (c == '#' && newline_) {
      hash_line();
    } else {
      return;
    }
  }
}

char Lexer::peek() {
  skip_blanks();
  return *at_;
}

void Lexer::skip_block_comment() {
  const char* open = at_;
  for (at_ += 2; at_ < end_; ++at_) {
    if (*at_ == '*' && at_[1] == '/') {
      at_ += 2;
      return;
    }
    newline_ |= *at_ == '\n';
  }
  at_ = end_;
  const u32 begin = static_cast<u32>(open - begin_);
  open_comment_ = {begin, offset()};
  report_.add(Kind::unterminated_comment, {begin, begin + 2});
}

// `# 12 "file" flags` and `#line 12 "file"`. Lines of other tools (#pragma, #ident) have no meaning
// in PTX; directives of the preprocessor are an error here, because the preprocessor should have
// run.
void Lexer::hash_line() {
  const char* hash = at_++;
  const char* line_end =
      static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
  if (!line_end) line_end = end_;
  const auto blanks = [&] {
    while (at_ < line_end && is(*at_, kBlank)) ++at_;
  };
  blanks();
  const char* word = at_;
  while (is(*at_, kFollow) && !is(*at_, kDigit)) ++at_;
  const std::string_view directive(word, static_cast<std::size_t>(at_ - word));
  blanks();
  const Span span{static_cast<u32>(hash - begin_), static_cast<u32>(line_end - begin_)};
  if (directive.empty() || directive == "line") {
    u32 line = 0;
    const auto parsed = std::from_chars(at_, line_end, line);
    at_ = parsed.ptr;
    blanks();
    std::string_view file;
    if (at_ < line_end && *at_ == '"') {
      const char* open = ++at_;
      while (at_ < line_end && *at_ != '"') ++at_;
      file = {open, static_cast<std::size_t>(at_ - open)};
    }
    if (parsed.ec == std::errc()) {
      source_.add_line_marker(span.begin, line, file);
    } else if (at_ != line_end && !is_quiet()) {  // a lone # has no meaning, as in cpp
      report_.add(Kind::bad_line_marker, span);
    }
  } else if (directive != "pragma" && directive != "ident" && directive != "file" && !is_quiet()) {
    report_.add(Kind::preprocessor_line,
                {span.begin, static_cast<u32>(word - begin_) + static_cast<u32>(directive.size())},
                directive);
  }
  at_ = line_end;
}

inline void Lexer::word(Token& token) {
  const char* p = at_ + 1;
  while (is(*p, kFollow)) ++p;
  token.kind = TokenKind::name;
  if (p == at_ + 1 && !is(*at_, kLetter)) {
    if (*at_ == '$') return void(token.kind = TokenKind::end);
    token.kind = *at_ == '_' ? TokenKind::sink : TokenKind::percent;
  }
  at_ = p;
}

void Lexer::string(Token& token) {
  token.kind = TokenKind::string;
  const char* p = at_ + 1;
  while (p < end_ && *p != '"' && *p != '\n') ++p;
  at_ = p;
  if (*p == '"') {
    ++at_;
  } else if (!is_quiet()) {
    report_.add(Kind::unterminated_string, {token.span.begin, offset()});
  }
}

namespace {

/// The token kind of single characters; TokenKind::end: none, or the beginning of a longer token.
constexpr std::array<TokenKind, 256> make_singles() {
  std::array<TokenKind, 256> table{};
  const auto set = [&](char c, TokenKind kind) { table[static_cast<u8>(c)] = kind; };
  set(',', TokenKind::comma);
  set(';', TokenKind::semicolon);
  set('[', TokenKind::l_bracket);
  set(']', TokenKind::r_bracket);
  set('{', TokenKind::l_brace);
  set('}', TokenKind::r_brace);
  set('(', TokenKind::l_paren);
  set(')', TokenKind::r_paren);
  set(':', TokenKind::colon);
  set('+', TokenKind::plus);
  set('-', TokenKind::minus);
  set('*', TokenKind::star);
  set('/', TokenKind::slash);
  set('?', TokenKind::question);
  set('~', TokenKind::tilde);
  set('^', TokenKind::caret);
  return table;
}
constexpr std::array<TokenKind, 256> kSingles = make_singles();

}  // namespace

inline bool Lexer::single(Token& token) {
  token.kind = kSingles[static_cast<u8>(*at_)];
  if (token.kind == TokenKind::end) return false;
  ++at_;
  return true;
}

void Lexer::next(Token& token) {
  for (;;) {
    skip_blanks();
    token = {};
    token.span.begin = offset();
    token.first_on_line = newline_;
    const char c = *at_;
    if (is(c, kStart)) {
      word(token);
    } else if (c == '.' && is(at_[1], kFollow) && !is(at_[1], kDigit)) {
      ++at_;
      word(token);
      token.kind = TokenKind::dotted;
    } else if (is(c, kDigit) || (c == '.' && is(at_[1], kDigit))) {
      number(token);
    } else if (c == '"') {
      string(token);
    } else if (!single(token)) {
      punctuation(token);
    }
    newline_ = false;
    token.span.end = offset();
    if (token.kind != TokenKind::end || at_ == end_) return;
    // An unexpected character: the first token of the line may follow it.
    unexpected_character();
    newline_ = token.first_on_line;
  }
}

void Lexer::punctuation(Token& token) {
  const auto take = [&](TokenKind kind, int length = 1) {
    at_ += length;
    token.kind = kind;
  };
  const char after = *at_ ? at_[1] : '\0';
  switch (*at_) {
    case '@':
      return after == '@' ? take(TokenKind::at_at, 2) : take(TokenKind::at);
    case '!':
      return after == '=' ? take(TokenKind::not_equal, 2) : take(TokenKind::exclaim);
    case '=':
      return after == '=' ? take(TokenKind::equal_equal, 2) : take(TokenKind::equals);
    case '&':
      return after == '&' ? take(TokenKind::amp_amp, 2) : take(TokenKind::amp);
    case '|':
      return after == '|' ? take(TokenKind::pipe_pipe, 2) : take(TokenKind::pipe);
    case '<':
      if (after == '<') return take(TokenKind::less_less, 2);
      return after == '=' ? take(TokenKind::less_equal, 2) : take(TokenKind::less);
    case '>':
      if (after == '>') return take(TokenKind::greater_greater, 2);
      return after == '=' ? take(TokenKind::greater_equal, 2) : take(TokenKind::greater);
    default:
      return;  // the end, or an unexpected character
  }
}

// One diagnostic for a sequence of unexpected characters: a binary file is one mistake, not a
// thousand.
void Lexer::unexpected_character() {
  if (*at_ == '.') return stray_dots();
  const char* from = at_++;
  while (at_ < end_ && (static_cast<u8>(*at_) >= 0x80 || *at_ == '\0')) ++at_;
  const u8 c = static_cast<u8>(*from);
  const Span span{static_cast<u32>(from - begin_), offset()};
  while (c == '#' && at_ < end_ && *at_ != '\n') ++at_;  // probably a comment
  if (is_quiet()) return;
  const std::string shown = c >= 0x80  ? "outside ASCII"
                            : c < 0x20 ? fmt::format("'\\x{:02x}'", c)
                                       : fmt::format("'{}'", *from);
  auto& diagnostic = report_.add(Kind::unexpected_character, span, shown);
  if (c == '#') diagnostic.help("comments begin with //");
}

// `..maxntid`: the last dot begins the word that follows it.
void Lexer::stray_dots() {
  const char* from = at_;
  while (*at_ == '.') ++at_;
  const auto dots = at_ - from;
  const bool before_word = is(*at_, kFollow);
  if (before_word) --at_;
  if (is_quiet()) return;
  const u32 begin = static_cast<u32>(from - begin_);
  report_.add(Kind::stray_dot, Span{begin, begin + static_cast<u32>(dots)},
              dots > 1 ? fmt::format("{} dots stand where one begins a word", dots)
                       : std::string("a dot begins a word such as .u32, and none follows"));
}

// `.const[2]` of PTX 1.x; an operand in brackets is never a plain number there.
void Lexer::take_bank() {
  constexpr std::string_view kSpace = ".const";
  if (!std::string_view(begin_, static_cast<std::size_t>(at_ - begin_)).ends_with(kSpace)) return;
  const char* p = at_ + 1;
  while (is(*p, kDigit)) ++p;
  if (p > at_ + 1 && *p == ']') at_ = p + 1;
}

std::string_view Lexer::mnemonic_tail(Token& name) {
  const char* piece = begin_ + name.span.begin;
  bool joined = false;  // there were blanks: the text before them is in joined_
  for (;;) {
    for (;;) {
      if (*at_ == '.' && is(at_[1], kFollow)) {
        at_ += 2;
      } else if (*at_ == ':' && at_[1] == ':' && is(at_[2], kFollow)) {
        at_ += 3;
      } else {
        break;
      }
      while (is(*at_, kFollow)) ++at_;
      if (*at_ == '[') take_bank();
    }
    name.span.end = offset();
    const char* piece_end = at_;
    skip_blanks();
    if (*at_ != '.' || !is(at_[1], kFollow)) break;
    // A dotted word that begins a line is a directive after a missing semicolon, if there is one.
    if (newline_ && dotted_word_begins_statement()) break;
    if (!joined) joined_.clear();
    joined = true;
    joined_.append(piece, piece_end);
    piece = at_;
    newline_ = false;
  }
  const std::string_view last(piece, static_cast<std::size_t>(begin_ + name.span.end - piece));
  return joined ? std::string_view(joined_.append(last)) : last;
}

bool Lexer::dotted_word_begins_statement() const {
  const char* p = at_ + 1;
  while (is(*p, kFollow)) ++p;
  return begins_statement({at_ + 1, static_cast<std::size_t>(p - at_ - 1)});
}

Span Lexer::rest_of_line() {
  while (*at_ == ' ' || *at_ == '\t') ++at_;
  const char* from = at_;
  bool quoted = false;  // a comment mark in a string begins no comment
  for (; at_ < end_ && *at_ != '\n'; ++at_) {
    if (!quoted && *at_ == '/' && (at_[1] == '/' || at_[1] == '*')) break;
    quoted ^= *at_ == '"';
  }
  const char* to = at_;
  while (to > from && is(to[-1], kBlank)) --to;
  return {static_cast<u32>(from - begin_), static_cast<u32>(to - begin_)};
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !is(text[0], kStart)) return false;
  if (text.size() == 1) return is(text[0], kLetter);
  for (const char c : text.substr(1)) {
    if (!is(c, kFollow)) return false;
  }
  return true;
}

}  // namespace heddle::syntax
