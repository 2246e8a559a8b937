// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact binary floating point in integers: any format, any rounding (PTX ISA 5.2, 6.5.2; IEEE
// 754-2008). An operation unpacks to a Number, computes exactly (or with a sticky bit), and rounds
// once in round_pack. Directed rounding and the narrow formats use it, and it is the reference in
// the tests of the fast paths.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

using u128 = unsigned __int128;

/// The five IEEE roundings.
enum class Round : u8 { nearest_even, toward_zero, toward_negative, toward_positive, nearest_away };

/// The meaning of the largest exponent: infinities and NaNs; one NaN per sign (e4m3); ordinary
/// numbers (e2m1, e2m3, e3m2).
enum class Specials : u8 { ieee, nan_only, none };

/// An interchange format: sign, exponent, fraction, in the low bits of `B`. `kNan` is the NaN that
/// operations make.
template <class B, int kExponent, int kFraction, Specials kSpecial, u64 kNanBits>
struct Format {
  using Bits = B;
  static constexpr int kExponentBits = kExponent;
  static constexpr int kFractionBits = kFraction;
  static constexpr Specials kSpecials = kSpecial;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr int kMinExponent = 1 - kBias;
  static constexpr Bits kSignBit = static_cast<Bits>(u64{1} << (kExponent + kFraction));
  static constexpr Bits kMagnitude = static_cast<Bits>(kSignBit - 1);
  static constexpr Bits kInfinity = static_cast<Bits>(((u64{1} << kExponent) - 1) << kFraction);
  static constexpr Bits kNan = static_cast<Bits>(kNanBits);
  static constexpr Bits kMaxFinite =
      static_cast<Bits>(kSpecial == Specials::ieee       ? kInfinity - 1
                        : kSpecial == Specials::nan_only ? kMagnitude - 1
                                                         : kMagnitude);
};

using FormatF16 = Format<u16, 5, 10, Specials::ieee, 0x7fff>;
using FormatBf16 = Format<u16, 8, 7, Specials::ieee, 0x7fff>;
using FormatTf32 = Format<u32, 8, 10, Specials::ieee,
                          0x3ffff>;  // 19 bits; the register holds them shifted left by 13
using FormatF32 = Format<u32, 8, 23, Specials::ieee, 0x7fffffff>;
using FormatF64 = Format<u64, 11, 52, Specials::ieee, 0xfff8000000000000>;
using FormatE4m3 = Format<u8, 4, 3, Specials::nan_only, 0x7f>;
using FormatE5m2 = Format<u8, 5, 2, Specials::ieee, 0x7f>;
using FormatE2m3 = Format<u8, 2, 3, Specials::none, 0x1f>;
using FormatE3m2 = Format<u8, 3, 2, Specials::none, 0x1f>;
using FormatE2m1 = Format<u8, 2, 1, Specials::none, 0x07>;

enum class Kind : u8 { zero, finite, infinite, nan };

/// A real number; bit 0 may be a sticky bit for lower bits. finite: value = ± significand *
/// 2^(exponent - 126), with bit 126 the highest one set.
struct Number {
  Kind kind = Kind::zero;
  bool negative = false;
  int exponent = 0;
  u128 significand = 0;
};

inline constexpr int kTopBit = 126;

constexpr int width_of(u128 value) {
  const u64 high = static_cast<u64>(value >> 64);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<u64>(value));
}

/// value >> count, with a 1 in bit 0 when a bit fell off.
constexpr u128 shift_right_sticky(u128 value, int count) {
  if (count <= 0) return value;
  if (count > 127) return value != 0;
  return (value >> count) | ((value & ((u128{1} << count) - 1)) != 0);
}

/// ± value * 2^scale as a Number; `value` may have any width.
constexpr Number make_number(bool negative, u128 value, int scale) {
  if (value == 0) return {Kind::zero, negative, 0, 0};
  const int top = width_of(value) - 1;
  const u128 aligned =
      top > kTopBit ? shift_right_sticky(value, top - kTopBit) : value << (kTopBit - top);
  return {Kind::finite, negative, scale + top, aligned};
}

template <class F>
constexpr Number unpack(typename F::Bits bits) {
  const bool negative = (bits & F::kSignBit) != 0;
  const u64 magnitude = bits & F::kMagnitude;
  if constexpr (F::kSpecials == Specials::ieee) {
    if (magnitude == F::kInfinity) return {Kind::infinite, negative, 0, 0};
  }
  if constexpr (F::kSpecials != Specials::none) {
    if (magnitude > F::kMaxFinite) return {Kind::nan, negative, 0, 0};
  }
  const u64 fraction = magnitude & ((u64{1} << F::kFractionBits) - 1);
  const int biased = static_cast<int>(magnitude >> F::kFractionBits);
  const u64 value = biased != 0 ? fraction | (u64{1} << F::kFractionBits) : fraction;
  const int exponent = biased != 0 ? biased - F::kBias : F::kMinExponent;
  return make_number(negative, value, exponent - F::kFractionBits);
}

/// Whether rounding goes away from zero, for the last kept bit and the comparison of the lower bits
/// with half a unit (-1, 0, 1).
constexpr bool rounds_away(Round mode, bool negative, bool odd, int against_half, bool inexact) {
  switch (mode) {
    case Round::nearest_even:
      return against_half > 0 || (against_half == 0 && odd);
    case Round::nearest_away:
      return against_half >= 0;
    case Round::toward_zero:
      return false;
    case Round::toward_negative:
      return negative && inexact;
    case Round::toward_positive:
      return !negative && inexact;
  }
  return false;
}

/// significand / 2^drop, rounded to an integer.
constexpr u128 round_shift(u128 significand, int drop, bool negative, Round mode) {
  if (drop <= 0) return significand << -drop;
  if (drop > 127) {  // less than half a unit, but not zero
    significand = 1;
    drop = 127;
  }
  const u128 rest = significand & ((u128{1} << drop) - 1);
  const u128 half = u128{1} << (drop - 1);
  const u128 kept = significand >> drop;
  const int against_half = rest > half ? 1 : rest == half ? 0 : -1;
  return kept + rounds_away(mode, negative, (kept & 1) != 0, against_half, rest != 0);
}

/// The bits of a result too large for the format: infinity, or the largest number when rounding
/// points inward or the format has no infinity.
template <class F>
constexpr typename F::Bits overflow_bits(bool negative, Round mode) {
  const bool inward = mode == Round::toward_zero || (mode == Round::toward_negative && !negative) ||
                      (mode == Round::toward_positive && negative);
  const auto magnitude = F::kSpecials != Specials::ieee || inward ? F::kMaxFinite : F::kInfinity;
  return static_cast<typename F::Bits>(magnitude | (negative ? F::kSignBit : 0));
}

/// Rounds to the format; NaN becomes F::kNan.
template <class F>
constexpr typename F::Bits round_pack(const Number& x, Round mode) {
  using Bits = typename F::Bits;
  const Bits sign = x.negative ? F::kSignBit : Bits{0};
  switch (x.kind) {
    case Kind::nan:
      return F::kNan;
    case Kind::zero:
      return sign;
    case Kind::infinite:
      return static_cast<Bits>(sign |
                               (F::kSpecials == Specials::ieee ? F::kInfinity : F::kMaxFinite));
    case Kind::finite:
      break;
  }
  if (x.exponent > F::kBias + 1) return overflow_bits<F>(x.negative, mode);
  const int exponent = x.exponent < F::kMinExponent ? F::kMinExponent : x.exponent;
  const int drop = kTopBit - F::kFractionBits + (exponent - x.exponent);
  const u64 kept = static_cast<u64>(round_shift(x.significand, drop, x.negative, mode));
  // The leading one of a normal `kept` adds one to the exponent field; so does a carry out of the
  // fraction.
  const u64 bits = (static_cast<u64>(exponent + F::kBias - 1) << F::kFractionBits) + kept;
  if (bits > F::kMaxFinite) return overflow_bits<F>(x.negative, mode);
  return static_cast<Bits>(bits | sign);
}

constexpr Number negate(Number x) {
  x.negative = !x.negative;
  return x;
}

/// Exact when both have at most 63 significant bits.
constexpr Number multiply(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::nan || b.kind == Kind::nan) return {Kind::nan, false, 0, 0};
  if (a.kind == Kind::infinite || b.kind == Kind::infinite) {
    if (a.kind == Kind::zero || b.kind == Kind::zero) return {Kind::nan, false, 0, 0};
    return {Kind::infinite, negative, 0, 0};
  }
  if (a.kind == Kind::zero || b.kind == Kind::zero) return {Kind::zero, negative, 0, 0};
  const u128 product = (a.significand >> 63) * (b.significand >> 63);
  return make_number(negative, product, a.exponent + b.exponent - 2 * (kTopBit - 63));
}

/// Exact, or sticky in bit 0. `mode` only decides the sign of an exact zero.
constexpr Number add(const Number& a, const Number& b, Round mode) {
  if (a.kind == Kind::nan || b.kind == Kind::nan) return {Kind::nan, false, 0, 0};
  if (a.kind == Kind::infinite) {
    return b.kind == Kind::infinite && a.negative != b.negative ? Number{Kind::nan, false, 0, 0}
                                                                : a;
  }
  if (b.kind == Kind::infinite) return b;
  const Number exact_zero{Kind::zero, mode == Round::toward_negative, 0, 0};
  if (a.kind == Kind::zero)
    return b.kind == Kind::zero && a.negative != b.negative ? exact_zero : b;
  if (b.kind == Kind::zero) return a;
  const bool a_larger =
      a.exponent != b.exponent ? a.exponent > b.exponent : a.significand >= b.significand;
  const Number& large = a_larger ? a : b;
  const Number& small = a_larger ? b : a;
  const u128 shifted = shift_right_sticky(small.significand, large.exponent - small.exponent);
  const bool subtract = a.negative != b.negative;
  const u128 sum = subtract ? large.significand - shifted : large.significand + shifted;
  if (sum == 0) return exact_zero;
  return make_number(large.negative, sum, large.exponent - kTopBit);
}

/// 64 quotient bits and a sticky bit; operands with at most 63 significant bits.
constexpr Number divide(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::nan || b.kind == Kind::nan) return {Kind::nan, false, 0, 0};
  if (a.kind == b.kind && a.kind != Kind::finite) return {Kind::nan, false, 0, 0};  // 0/0, inf/inf
  if (a.kind == Kind::infinite || b.kind == Kind::zero) return {Kind::infinite, negative, 0, 0};
  if (a.kind == Kind::zero || b.kind == Kind::infinite) return {Kind::zero, negative, 0, 0};
  u64 rest = static_cast<u64>(a.significand >> 64);
  const u64 divisor = static_cast<u64>(b.significand >> 64);
  u64 quotient = 0;
  for (int bit = 63; bit >= 0; --bit) {  // both below 2^63, so `rest` never leaves 64 bits
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= u64{1} << bit;
    }
    rest <<= 1;
  }
  const u128 value = (u128{quotient} << 1) | (rest != 0);
  return make_number(negative, value, a.exponent - b.exponent - 64);
}

/// 64 bits of the root and a sticky bit.
constexpr Number square_root(const Number& a) {
  if (a.kind == Kind::nan || a.kind == Kind::zero) return a;
  if (a.negative) return {Kind::nan, false, 0, 0};
  if (a.kind == Kind::infinite) return a;
  const bool odd = (a.exponent & 1) != 0;
  const u128 radicand =
      odd ? a.significand << 1 : a.significand;  // value = radicand * 2^(even - 126)
  u128 rest = radicand;
  u128 root = 0;
  for (int bit = kTopBit; bit >= 0; bit -= 2) {
    const u128 trial = root + (u128{1} << bit);
    root >>= 1;
    if (rest >= trial) {
      rest -= trial;
      root += u128{1} << bit;
    }
  }
  return make_number(false, (root << 1) | (rest != 0), (a.exponent - odd) / 2 - 64);
}

/// The nearest integral Number in that rounding; the sign of zero is kept.
constexpr Number round_integral(const Number& x, Round mode) {
  if (x.kind != Kind::finite || x.exponent >= 63) return x;
  return make_number(x.negative, round_shift(x.significand, kTopBit - x.exponent, x.negative, mode),
                     0);
}

constexpr Number from_integer(std::integral auto value) {
  if constexpr (std::is_unsigned_v<decltype(value)>) {
    return make_number(false, value, 0);
  } else {
    const u64 bits = static_cast<u64>(s64{value});
    return make_number(value < 0, value < 0 ? u64{0} - bits : bits, 0);
  }
}

/// Rounds to an integer and clamps to the range of `T`. NaN gives `nan`.
template <std::integral T>
constexpr T to_integer(const Number& x, Round mode, T nan) {
  constexpr T kMax =
      static_cast<T>(static_cast<unsigned_of<T>>(~unsigned_of<T>{0}) >> std::is_signed_v<T>);
  constexpr T kMin = static_cast<T>(~kMax);
  constexpr T kLow = std::is_signed_v<T> ? kMin : T{0};
  if (x.kind == Kind::nan) return nan;
  if (x.kind == Kind::zero) return 0;
  if (x.kind == Kind::infinite || x.exponent >= 64) return x.negative ? kLow : kMax;
  const u128 magnitude = round_shift(x.significand, kTopBit - x.exponent, x.negative, mode);
  if (x.negative) {
    const u128 limit = std::is_signed_v<T> ? u128{static_cast<unsigned_of<T>>(kMax)} + 1 : 0;
    return magnitude >= limit ? kLow : wrap<T>(u64{0} - static_cast<u64>(magnitude));
  }
  return magnitude > static_cast<unsigned_of<T>>(kMax) ? kMax : static_cast<T>(magnitude);
}

// ---- the same on bits ----

template <class F>
using Bits = typename F::Bits;

template <class F>
constexpr Bits<F> soft_add(Bits<F> a, Bits<F> b, Round mode) {
  return round_pack<F>(add(unpack<F>(a), unpack<F>(b), mode), mode);
}
template <class F>
constexpr Bits<F> soft_mul(Bits<F> a, Bits<F> b, Round mode) {
  return round_pack<F>(multiply(unpack<F>(a), unpack<F>(b)), mode);
}
template <class F>
constexpr Bits<F> soft_fma(Bits<F> a, Bits<F> b, Bits<F> c, Round mode) {
  return round_pack<F>(add(multiply(unpack<F>(a), unpack<F>(b)), unpack<F>(c), mode), mode);
}
template <class F>
constexpr Bits<F> soft_div(Bits<F> a, Bits<F> b, Round mode) {
  return round_pack<F>(divide(unpack<F>(a), unpack<F>(b)), mode);
}
template <class F>
constexpr Bits<F> soft_sqrt(Bits<F> a, Round mode) {
  return round_pack<F>(square_root(unpack<F>(a)), mode);
}
template <class To, class From>
constexpr Bits<To> soft_convert(Bits<From> a, Round mode) {
  return round_pack<To>(unpack<From>(a), mode);
}

}  // namespace heddle::sem
