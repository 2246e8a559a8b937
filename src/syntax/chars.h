// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Character classes as one table look-up. PTX ISA 4.1, 4.4.
#pragma once

#include <array>

#include "base/types.h"

namespace heddle::syntax::chars {

enum Class : u8 {
  kBlank = 1,   ///< separates tokens, newline included
  kFollow = 2,  ///< allowed in an identifier
  kStart = 4,   ///< may begin an identifier: letters, _ $ %
  kDigit = 8,
  kLetter = 16,
};

constexpr std::array<u8, 256> make_classes() {
  std::array<u8, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = kFollow | kStart | kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = kFollow | kStart | kLetter;
  for (int c = '0'; c <= '9'; ++c) table[c] = kFollow | kDigit;
  for (const char c : {'_', '$'}) table[static_cast<u8>(c)] = kFollow | kStart;
  table['%'] = kStart;
  for (const char c : {' ', '\t', '\n', '\r', '\v', '\f'}) table[static_cast<u8>(c)] = kBlank;
  return table;
}
inline constexpr std::array<u8, 256> kClasses = make_classes();

constexpr bool is(char c, u8 classes) { return kClasses[static_cast<u8>(c)] & classes; }

/// 0 to 15, or 16 if `c` is not a hexadecimal digit.
constexpr unsigned hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 16;
}

}  // namespace heddle::syntax::chars
