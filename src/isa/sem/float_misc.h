// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// testp, copysign, abs, neg, min, max for f32 and f64 (PTX ISA 9.7.3.1, .2, .9 to .12).
//
// abs and neg of f32 are arithmetic: they flush and make NaN canonical. For f64 they only touch the
// sign.
#pragma once

#include "isa/sem/float.h"

namespace heddle::sem {

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <class T>
inline constexpr WordOf<T> kSignOf = WordOf<T>{1} << (8 * sizeof(T) - 1);

// ---- testp, copysign ----

/// Zero counts as normal.
template <class T>
constexpr bool testp(Testop op, T x) {
  using F = std::conditional_t<sizeof(T) == 8, FormatF64, FormatF32>;
  const auto magnitude = bits_of(x) & F::kMagnitude;
  const bool subnormal = magnitude != 0 && magnitude < (WordOf<T>{1} << F::kFractionBits);
  switch (op) {
    case Testop::none:
      return false;
    case Testop::finite:
      return magnitude < F::kInfinity;
    case Testop::infinite:
      return magnitude == F::kInfinity;
    case Testop::number:
      return magnitude <= F::kInfinity;
    case Testop::notanumber:
      return magnitude > F::kInfinity;
    case Testop::normal:
      return magnitude < F::kInfinity && !subnormal;
    case Testop::subnormal:
      return subnormal;
  }
  return false;
}

/// The sign of a (not of b, as in C) on the magnitude of b.
template <class T>
constexpr T copysign(T a, T b) {
  return std::bit_cast<T>((bits_of(a) & kSignOf<T>) | (bits_of(b) & ~kSignOf<T>));
}

// ---- abs, neg ----

template <class T>
constexpr T magnitude_of(T x) {
  return std::bit_cast<T>(bits_of(x) & ~kSignOf<T>);
}
template <bool kFtz>
constexpr f32 abs_f32(f32 x) {
  return canonical(magnitude_of(input<kFtz>(x)));
}
template <bool kFtz>
constexpr f32 neg_f32(f32 x) {
  return canonical(-input<kFtz>(x));
}
constexpr f64 abs_f64(f64 x) { return is_nan(x) ? x : magnitude_of(x); }
constexpr f64 neg_f64(f64 x) { return as_f64(bits_of(x) ^ kSignOf<f64>); }

// ---- min, max ----

/// The smaller number, -0 below +0; if one operand is a NaN, the other one; of two NaNs, the
/// second. Written so that one instruction of the host does most of the work.
template <class T>
constexpr T min_number(T a, T b) {
  const T equal = std::bit_cast<T>(bits_of(a) | bits_of(b));  // the same number, or zeros
  const T ordered = b < a ? b : a;
  const T number = a == b ? equal : ordered;
  return is_nan(a) ? b : number;
}
template <class T>
constexpr T max_number(T a, T b) {
  const T equal = std::bit_cast<T>(bits_of(a) & bits_of(b));
  const T ordered = b > a ? b : a;
  const T number = a == b ? equal : ordered;
  return is_nan(a) ? b : number;
}

/// With `.NaN`, one NaN makes the result NaN. NaN results are canonical.
template <bool kMax, bool kNan>
constexpr f32 extreme(f32 a, f32 b) {
  const f32 number = canonical(kMax ? max_number(a, b) : min_number(a, b));
  return kNan && (is_nan(a) || is_nan(b)) ? as_f32(kNanF32) : number;
}
/// With `.xorsign.abs`, magnitudes are compared, and a number gets the sign of the product.
template <bool kMax, bool kFtz, bool kNan, bool kXorsign>
constexpr f32 extreme_f32(f32 x, f32 y) {
  const f32 a = input<kFtz>(x);
  const f32 b = input<kFtz>(y);
  if constexpr (!kXorsign) return extreme<kMax, kNan>(a, b);
  const f32 magnitude = extreme<kMax, kNan>(magnitude_of(a), magnitude_of(b));
  const u32 sign = (bits_of(a) ^ bits_of(b)) & kSignOf<f32>;
  return is_nan(magnitude) ? magnitude : as_f32(bits_of(magnitude) | sign);
}
template <bool kMax, bool kFtz, bool kNan, bool kAbs>
constexpr f32 extreme3_f32(f32 x, f32 y, f32 z) {
  const f32 a = kAbs ? magnitude_of(input<kFtz>(x)) : input<kFtz>(x);
  const f32 b = kAbs ? magnitude_of(input<kFtz>(y)) : input<kFtz>(y);
  const f32 c = kAbs ? magnitude_of(input<kFtz>(z)) : input<kFtz>(z);
  return extreme<kMax, kNan>(extreme<kMax, kNan>(a, b), c);
}
/// Two NaNs give the second one, quieted.
template <bool kMax>
constexpr f64 extreme_f64(f64 a, f64 b) {
  const f64 number = kMax ? max_number(a, b) : min_number(a, b);
  return is_nan(number) ? quiet(number) : number;
}

}  // namespace heddle::sem
