// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens that the lexer passes to the parser. PTX ISA 4.1 to 4.5.
#pragma once

#include "base/types.h"

namespace heddle::syntax {

// clang-format off
enum class TokenKind : u8 {
  end,                     ///< end of the text
  name,                    ///< identifier (4.4)
  dotted,                  ///< .word, one word with its dot
  integer, real, real32, string,
  sink,                    ///< _ alone
  semicolon, comma, colon, question, equals, at, at_at,
  l_paren, r_paren, l_bracket, r_bracket, l_brace, r_brace,
  plus, minus, star, slash, percent, exclaim, tilde,
  less, greater, less_less, greater_greater, less_equal, greater_equal, equal_equal, not_equal,
  amp, caret, pipe, amp_amp, pipe_pipe,
};
// clang-format on

struct Token {
  u64 value = 0;  ///< integer: magnitude; real, real32: bits
  Span span;
  TokenKind kind = TokenKind::end;
  bool first_on_line = false;  ///< only blanks and comments before it on its line
  bool is_unsigned = false;    ///< integer: suffix U, or does not fit .s64
  u8 radix = 10;               ///< number: 2, 8, 10 or 16 (real: 16 is 0d notation)
};

}  // namespace heddle::syntax
