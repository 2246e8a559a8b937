// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer add, sub, sad, abs, neg (PTX ISA 9.7.1.1, .2, .7, .10, .11). All of them are exact modulo
// 2^width, so they compute on unsigned values; saturation tests the sign bits, which needs no wider
// type and no branch, so it can be vectorized.
#pragma once

#include "isa/sem/halves.h"
#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr T add_wrap(T a, T b) {
  return wrap<T>(to_unsigned(a) + to_unsigned(b));
}

template <class T>
constexpr T sub_wrap(T a, T b) {
  return wrap<T>(to_unsigned(a) - to_unsigned(b));
}

/// The limit on a's side: MININT for a < 0, else MAXINT. Overflow is always towards it.
constexpr s32 limit_of_sign(s32 a) { return (a >> 31) ^ 0x7fffffff; }

constexpr s32 add_sat(s32 a, s32 b) {
  const s32 sum = add_wrap(a, b);
  const bool overflow = ((a ^ sum) & (b ^ sum)) < 0;  // the sum's sign differs from both
  return overflow ? limit_of_sign(a) : sum;
}

constexpr s32 sub_sat(s32 a, s32 b) {
  const s32 difference = sub_wrap(a, b);
  const bool overflow = ((a ^ b) & (a ^ difference)) < 0;
  return overflow ? limit_of_sign(a) : difference;
}

template <class P>
constexpr P add_packed(P a, P b) {
  return map_halves(a, b, [](auto x, auto y) { return add_wrap(x, y); });
}

/// |a - b| is taken as an unsigned number, so it is right for the extremes of signed types too.
template <class T>
constexpr T sad(T a, T b, T c) {
  const auto high = to_unsigned(a < b ? b : a);
  const auto low = to_unsigned(a < b ? a : b);
  return wrap<T>(to_unsigned(c) + (high - low));
}

template <class T>
constexpr T neg_wrap(T a) {
  return wrap<T>(0 - to_unsigned(a));
}

template <class T>
constexpr T abs_wrap(T a) {
  return a < 0 ? neg_wrap(a) : a;
}

}  // namespace heddle::sem
