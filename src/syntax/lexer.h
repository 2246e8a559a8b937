// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to tokens, on demand. The tokens of PTX depend on the context: `.3d` is a modifier after a
// mnemonic and part of a number elsewhere, so the parser calls mnemonic_tail() where modifiers may
// stand. PTX ISA 4.1 to 4.5.
#pragma once

#include <string>
#include <string_view>

#include "diag/report.h"
#include "diag/source.h"
#include "syntax/token.h"

namespace heddle::syntax {

/// The check of a text stops after this number of errors.
inline constexpr std::size_t kMostErrors = 100;

class Lexer {
 public:
  /// Line markers are added to `source` as they are met; `report` gets the lexical errors.
  Lexer(diag::Source& source, diag::Report& report);

  /// The next token; after the last one, always TokenKind::end.
  Token next() {
    Token token;
    next(token);
    return token;
  }
  void next(Token& token);

  /// The first character of the next token, '\0' at the end; consumes blanks only.
  char peek();

  /// After a name token that begins an instruction: its modifiers `.word`, `.word::word` and bank
  /// `[2]`. Returns the whole mnemonic without blanks; `name.span` grows to cover it. The view is
  /// valid until the next call.
  std::string_view mnemonic_tail(Token& name);

  /// The rest of the line up to a comment, without blanks at its ends (for @@dwarf lines).
  Span rest_of_line();

  /// While muted, malformed numbers and unexpected characters are not reported: the parser is
  /// skipping a statement that it has already reported.
  void mute(bool on) { muted_ = on; }

  std::string_view text(Span span) const { return {begin_ + span.begin, span.end - span.begin}; }
  u32 offset() const { return static_cast<u32>(at_ - begin_); }
  /// The unterminated comment, up to the end of the text; empty when there is none.
  Span open_comment() const { return open_comment_; }

 private:
  void skip_blanks();
  void skip_lines();
  void skip_block_comment();
  void hash_line();
  void word(Token& token);
  void string(Token& token);
  bool single(Token& token);
  void punctuation(Token& token);
  void number(Token& token);
  void integer(Token& token, const char* digits, unsigned radix);
  void exact_float(Token& token);
  void decimal(Token& token);
  void bad_number(Token& token, std::string_view help);
  void unexpected_character();
  void stray_dots();
  /// Whether malformed text is not reported: the parser is skipping, or it will stop before the
  /// next statement.
  bool is_quiet() const;
  void take_bank();
  bool dotted_word_begins_statement() const;

  diag::Source& source_;
  diag::Report& report_;
  const char* begin_;
  const char* end_;
  const char* at_;
  bool newline_ = true;  ///< only blanks since the line began
  bool muted_ = false;
  Span open_comment_;
  std::size_t errors_at_start_;
  std::string joined_;  ///< a mnemonic that was written with blanks
};

/// Whether `text` is an identifier (PTX ISA 4.4).
bool is_identifier(std::string_view text);

}  // namespace heddle::syntax
