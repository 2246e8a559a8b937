// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number literals. PTX ISA 4.5.1, 4.5.2.
#include <bit>
#include <charconv>

#include "syntax/chars.h"
#include "syntax/lexer.h"

namespace heddle::syntax {

using chars::hex_digit;
using chars::is;
using chars::kDigit;
using chars::kFollow;
using diag::Kind;

void Lexer::number(Token& token) {
  if (*at_ == '0') {
    switch (at_[1]) {
      case 'x':
      case 'X':
        return integer(token, at_ + 2, 16);
      case 'b':
      case 'B':
        return integer(token, at_ + 2, 2);
      case 'f':
      case 'F':
      case 'd':
      case 'D':
        return exact_float(token);
      default:
        break;
    }
  }
  decimal(token);
}

void Lexer::integer(Token& token, const char* digits, unsigned radix) {
  token.kind = TokenKind::integer;
  token.radix = static_cast<u8>(radix);
  const char* p = digits;
  bool overflow = false;
  for (unsigned digit; (digit = hex_digit(*p)) < radix; ++p) {
    u64 scaled;
    overflow |= __builtin_mul_overflow(token.value, radix, &scaled);
    overflow |= __builtin_add_overflow(scaled, u64{digit}, &token.value);
  }
  const bool any = p > digits;
  token.is_unsigned = *p == 'U' || token.value >> 63;
  if (*p == 'U') ++p;
  at_ = p;
  if (is(*p, kFollow) || !any) {
    return bad_number(token, radix == 8 ? "a leading 0 makes a number octal: its digits are 0 to 7"
                             : radix == 2 ? "0b is followed by binary digits"
                                          : "");
  }
  if (!overflow) return;
  token.value = 1;  // a value that no rule refuses
  if (!is_quiet()) report_.add(Kind::number_too_large, {token.span.begin, offset()});
}

// 0f and 8 hexadecimal digits, 0d and 16.
void Lexer::exact_float(Token& token) {
  const bool single = at_[1] == 'f' || at_[1] == 'F';
  token.kind = single ? TokenKind::real32 : TokenKind::real;
  token.radix = 16;
  const char* p = at_ + 2;
  int digits = 0;
  for (unsigned digit; (digit = hex_digit(*p)) < 16; ++p, ++digits) {
    token.value = token.value << 4 | digit;
  }
  at_ = p;
  if (digits != (single ? 8 : 16) || is(*p, kFollow)) {
    bad_number(token, single ? "0f is followed by exactly 8 hexadecimal digits"
                             : "0d is followed by exactly 16 hexadecimal digits");
  }
}

void Lexer::decimal(Token& token) {
  const char* p = at_;
  while (is(*p, kDigit)) ++p;
  const bool fraction = *p == '.';
  if (fraction) {
    for (++p; is(*p, kDigit); ++p) {
    }
  }
  bool exponent = false;
  if (*p == 'e' || *p == 'E') {
    const char* sign = p + 1;
    if (*sign == '+' || *sign == '-') ++sign;
    exponent = is(*sign, kDigit);
    if (exponent) {
      for (p = sign; is(*p, kDigit); ++p) {
      }
    }
  }
  if (!fraction && !exponent) {
    const bool octal = *at_ == '0' && is(at_[1], kDigit);
    return integer(token, octal ? at_ + 1 : at_, octal ? 8 : 10);
  }

  token.kind = TokenKind::real;
  double value = 0;
  const auto parsed = std::from_chars(at_, p, value);
  token.value = std::bit_cast<u64>(value);
  at_ = p;
  if (is(*p, kFollow)) {
    const bool suffix = *p == 'f' || *p == 'F';
    return bad_number(token, suffix ? "no suffix says the size: the instruction's type does" : "");
  }
  if (parsed.ec != std::errc() && !is_quiet()) {
    report_.add(Kind::real_out_of_range, {token.span.begin, offset()});
  }
}

/// Consumes the letters and digits that follow. The token keeps its kind, so that the statement
/// parses; its value does not matter.
void Lexer::bad_number(Token& token, std::string_view help) {
  while (is(*at_, kFollow)) ++at_;
  if (is_quiet()) return;
  const Span span{token.span.begin, offset()};
  auto& diagnostic = report_.add(Kind::bad_number, span, text(span).substr(0, 40));
  if (!help.empty()) diagnostic.help(std::string(help));
}

}  // namespace heddle::syntax
