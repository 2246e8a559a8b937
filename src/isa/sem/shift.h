// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shl, shr, shf, prmt (PTX ISA 9.7.8.7 to 9.7.8.9, 9.7.9.7).
#pragma once

#include "isa/groups.h"
#include "isa/sem/types.h"

namespace heddle::sem {

using isa::Prmtmode;
using isa::Shfdir;
using isa::Wrapmode;

template <class T>
constexpr T shift_left(T a, u32 amount) {
  constexpr u32 kWidth = 8 * sizeof(T);
  return amount < kWidth ? wrap<T>(to_unsigned(a) << (amount % kWidth)) : T{0};
}

/// C++20's >> fills with the sign of a signed T; an amount of width - 1 or more gives the sign in
/// all bits.
template <class T>
constexpr T shift_right(T a, u32 amount) {
  constexpr u32 kWidth = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(a >> (amount < kWidth ? amount : kWidth - 1));
  } else {
    return amount < kWidth ? static_cast<T>(a >> (amount % kWidth)) : T{0};
  }
}

/// Written so that compilers recognise a funnel shift, for which processors have a vector
/// instruction, instead of shifts of 64 bits.
template <Shfdir direction, Wrapmode mode>
constexpr u32 funnel_shift(u32 low, u32 high, u32 amount) {
  const u32 n = amount % 32;
  if constexpr (direction == Shfdir::l) {
    if (mode == Wrapmode::clamp && amount > 31) return low;
    return n ? high << n | low >> (32 - n) : high;
  } else {
    if (mode == Wrapmode::clamp && amount > 31) return high;
    return n ? high << (32 - n) | low >> n : low;
  }
}

/// Each selector nibble names one of eight bytes; its top bit replaces the byte by its sign.
constexpr u32 permute_bytes(u32 a, u32 b, u32 selectors) {
  const u64 pair = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 selector = selectors >> (4 * i);
    const u32 byte = static_cast<u32>(pair >> (8 * (selector & 7))) & 0xff;
    const u32 sign = (byte >> 7) * 0xff;
    result |= (selector & 8 ? sign : byte) << (8 * i);
  }
  return result;
}

/// Row: the mode in the order of the group; column: c[1:0]. Entries are selectors as above.
inline constexpr u16 kPermuteModes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543},  // f4e
    {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
    {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
    {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
    {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
    {0x1010, 0x3232, 0x1010, 0x3232},  // rc16
};

constexpr u32 permute_bytes_mode(Prmtmode mode, u32 a, u32 b, u32 c) {
  return permute_bytes(a, b, kPermuteModes[static_cast<u32>(mode) - 1][c & 3]);
}

}  // namespace heddle::sem
