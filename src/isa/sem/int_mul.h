// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer mul, mad, mul24, mad24 (PTX ISA 9.7.1.3 to 9.7.1.6).
#pragma once

#include "isa/sem/int_add.h"
#include "isa/sem/types.h"

namespace heddle::sem {

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

/// The integer type of the same signedness and twice the width.
template <class T>
struct TwiceOf;
template <>
struct TwiceOf<u16> {
  using type = u32;
};
template <>
struct TwiceOf<s16> {
  using type = s32;
};
template <>
struct TwiceOf<u32> {
  using type = u64;
};
template <>
struct TwiceOf<s32> {
  using type = s64;
};
template <>
struct TwiceOf<u64> {
  using type = u128;
};
template <>
struct TwiceOf<s64> {
  using type = s128;
};
template <class T>
using twice_of = typename TwiceOf<T>::type;

/// The exact product; it always fits.
template <class T>
constexpr twice_of<T> mul_wide(T a, T b) {
  return static_cast<twice_of<T>>(a) * static_cast<twice_of<T>>(b);
}

template <class T>
constexpr T mul_lo(T a, T b) {
  return wrap<T>(to_unsigned(a) * to_unsigned(b));
}

template <class T>
constexpr T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
}

template <class T>
constexpr T mad_lo(T a, T b, T c) {
  return add_wrap(mul_lo(a, b), c);
}

template <class T>
constexpr T mad_hi(T a, T b, T c) {
  return add_wrap(mul_hi(a, b), c);
}

template <class T>
constexpr twice_of<T> mad_wide(T a, T b, twice_of<T> c) {
  return add_wrap(mul_wide(a, b), c);
}

/// Only the final addition saturates.
constexpr s32 mad_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul_hi(a, b), c); }

/// The low 24 bits of a factor, zero- or sign-extended to the width of the 48-bit product.
template <class T>
constexpr twice_of<T> low_24(T value) {
  return static_cast<T>(to_unsigned(value) << 8) >> 8;
}

template <class T>
constexpr T mul24_lo(T a, T b) {
  return static_cast<T>(low_24(a) * low_24(b));
}

template <class T>
constexpr T mul24_hi(T a, T b) {
  return static_cast<T>((low_24(a) * low_24(b)) >> 16);
}

template <class T>
constexpr T mad24_lo(T a, T b, T c) {
  return add_wrap(mul24_lo(a, b), c);
}

template <class T>
constexpr T mad24_hi(T a, T b, T c) {
  return add_wrap(mul24_hi(a, b), c);
}

constexpr s32 mad24_hi_sat(s32 a, s32 b, s32 c) { return add_sat(mul24_hi(a, b), c); }

}  // namespace heddle::sem
