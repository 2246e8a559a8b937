// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popc, clz, bfind, fns, brev, bfe, bfi, szext, bmsk (PTX ISA 9.7.1.14 to 9.7.1.22). Field
// positions and lengths reach past the width of the register; the helpers below define shifts by
// any amount.
#pragma once

#include "isa/groups.h"
#include "isa/sem/shift.h"
#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr u32 population_count(T a) {
  return static_cast<u32>(std::popcount(a));
}

template <class T>
constexpr u32 leading_zeros(T a) {
  return static_cast<u32>(std::countl_zero(a));
}

/// 0xffffffff when all bits equal the sign.
template <class T, bool shift_amount>
constexpr u32 find_non_sign_bit(T a) {
  constexpr u32 kTop = 8 * sizeof(T) - 1;
  const auto magnitude = to_unsigned(a < 0 ? static_cast<T>(~a) : a);
  const u32 zeros = leading_zeros(magnitude);
  if constexpr (shift_amount) {
    return magnitude == 0 ? 0xffffffffu : zeros;
  } else {
    return kTop - zeros;
  }
}

template <class T>
constexpr T reverse_bits(T a) {
  constexpr T kAll = static_cast<T>(~T{0});
  T mask = kAll;
  for (u32 step = 4 * sizeof(T); step != 0; step /= 2) {  // swap halves, quarters, ... single bits
    mask ^= static_cast<T>(mask << step);
    a = static_cast<T>((a >> step & mask) | (a << step & ~mask));
  }
  return a;
}

/// The |offset|-th set bit from `base` on, itself included, upwards or (offset < 0) downwards;
/// offset 0 tests bit `base` only. A base over 31 is undefined in PTX; here the result is "not
/// found".
constexpr u32 find_nth_set(u32 mask, u32 base, u32 offset) {
  const bool down = static_cast<s32>(offset) < 0;
  const u32 start = down ? 31 - base : base;
  const u32 range = shift_left(offset == 0 ? 1u : ~0u, start);
  const u32 candidates = (down ? reverse_bits(mask) : mask) & range;
  const u32 wanted = offset == 0 ? 1 : down ? 0 - offset : offset;
  u32 left = wanted;
  u32 position = 0;
  for (u32 half = 16; half != 0; half /= 2) {  // is it in the lower half of what remains?
    const u32 below = population_count(candidates >> position & ((1u << half) - 1));
    const bool above = below < left;
    left -= above ? below : 0;
    position += above ? half : 0;
  }
  if (population_count(candidates) < wanted) return ~0u;
  return down ? 31 - position : position;
}

/// The low `length` bits set; all of them when `length` reaches the width.
template <class T>
constexpr T low_ones(u32 length) {
  return static_cast<T>(~shift_left(static_cast<T>(~T{0}), length));
}

/// The low `length` bits of a, zero- or sign-extended according to T; 0 when there are none.
template <class T>
constexpr T extend_low(T a, u32 length) {
  if constexpr (std::is_signed_v<T>) {
    constexpr u32 kWidth = 8 * sizeof(T);
    const u32 unused = length < kWidth ? kWidth - length : 0;
    return shift_right(shift_left(a, unused), unused);
  } else {
    return a & low_ones<T>(length);
  }
}

/// A position or length in a word of type T. The manual says that the low 8 bits count. That holds
/// for words of 32 bits, for which GPUs have instructions; the code of ptxas for 64 bits shifts by
/// the whole number.
template <class T>
constexpr u32 field_number(u32 number) {
  return sizeof(T) == 8 ? number : number & 0xff;
}

/// A field that reaches past the top is filled with zeros, or the sign of a for signed types.
template <class T>
constexpr T extract_field(T a, u32 position, u32 length) {
  return extend_low(shift_right(a, field_number<T>(position)), field_number<T>(length));
}

template <class T>
constexpr T insert_field(T a, T b, u32 position, u32 length) {
  const u32 first = field_number<T>(position);
  const T field = shift_left(low_ones<T>(field_number<T>(length)), first);
  return (b & ~field) | (shift_left(a, first) & field);
}

template <class T, Wrapmode mode>
constexpr T extend_from(T a, u32 length) {
  return extend_low(a, mode == Wrapmode::clamp ? length : length % 32);
}

template <Wrapmode mode>
constexpr u32 field_mask(u32 position, u32 length) {
  if constexpr (mode == Wrapmode::clamp) {
    return shift_left(low_ones<u32>(length), position);
  } else {
    return shift_left(low_ones<u32>(length % 32), position % 32);
  }
}

}  // namespace heddle::sem
