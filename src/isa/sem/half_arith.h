// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, fma, abs, neg, min, max for f16, bf16 and their pairs (PTX ISA 9.7.4.1
// to 9.7.4.8). Computed in f32 or f64 and rounded once; half.h says why that is exact. All results
// are to nearest even, every NaN result is 0x7fff.
//
// `.relu` makes negative results and -0 +0 and keeps NaN.
#pragma once

#include "isa/sem/float_misc.h"
#include "isa/sem/half.h"

namespace heddle::sem {

template <bool kFtz, class E>
constexpr E half_input(E x) {
  if constexpr (kFtz)
    return flush(x);
  else
    return x;
}
/// Saturation before rounding gives the same result as after it: 0 and 1 are numbers of every
/// format.
template <class E, bool kFtz>
constexpr E half_result(Flag sat, f32 exact) {
  return half_input<kFtz>(narrow<E>(sat == Flag::on ? saturate(exact) : exact));
}

// ---- add, sub, mul ----

template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T add_half(Flag sat, T a, T b) {
  const auto one = [=]<class E>(E x, E y) HEDDLE_LANE_INLINE {
    return half_result<E, kFtz>(sat, widened(half_input<kFtz>(x)) + widened(half_input<kFtz>(y)));
  };
  return each(one, a, b);
}
template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T sub_half(Flag sat, T a, T b) {
  const auto one = [=]<class E>(E x, E y) HEDDLE_LANE_INLINE {
    return half_result<E, kFtz>(sat, widened(half_input<kFtz>(x)) - widened(half_input<kFtz>(y)));
  };
  return each(one, a, b);
}
template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T mul_half(Flag sat, T a, T b) {
  const auto one = [=]<class E>(E x, E y) HEDDLE_LANE_INLINE {
    return half_result<E, kFtz>(sat, widened(half_input<kFtz>(x)) * widened(half_input<kFtz>(y)));
  };
  return each(one, a, b);
}
template <class T>
HEDDLE_LANE_INLINE constexpr T add_bf16(T a, T b) {
  return add_half<T, false>(Flag::off, a, b);
}
template <class T>
HEDDLE_LANE_INLINE constexpr T sub_bf16(T a, T b) {
  return sub_half<T, false>(Flag::off, a, b);
}
template <class T>
HEDDLE_LANE_INLINE constexpr T mul_bf16(T a, T b) {
  return mul_half<T, false>(Flag::off, a, b);
}

// ---- fma ----

template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T fma_half(Flag sat, Flag relu, T a, T b, T c) {
  const auto one = [=]<class E>(E x, E y, E z) HEDDLE_LANE_INLINE {
    const E result = fused(half_input<kFtz>(x), half_input<kFtz>(y), half_input<kFtz>(z));
    if constexpr (kHostHalf && !kFtz && std::is_same_v<E, f16>) {
      if (sat == Flag::off && relu == Flag::off) return result;
    }
    const f32 sum = widened(result);
    const f32 positive = sum > 0 || is_nan(sum) ? sum : 0.0f;
    return half_result<E, kFtz>(sat, relu == Flag::on ? positive : sum);
  };
  return each(one, a, b, c);
}
template <class T>
HEDDLE_LANE_INLINE constexpr T fma_bf16(Flag relu, T a, T b, T c) {
  return fma_half<T, false>(Flag::off, relu, a, b, c);
}

/// The NaN that a tensor copy writes for elements beyond a tensor (5.5.3.3). The manual does not
/// define this NaN; the value was seen on hardware, in each 16 bits of an element.
inline constexpr u16 kOutOfBoundsNan = 0x7ff7;

template <class T>
HEDDLE_LANE_INLINE constexpr T fma_out_of_bounds(Flag sat, Flag relu, T a, T b, T c) {
  const auto one = [=]<class E>(E x, E y, E z) HEDDLE_LANE_INLINE {
    const bool outside = x.bits == kOutOfBoundsNan || y.bits == kOutOfBoundsNan;
    const E sum = fma_half<E, false>(sat, relu, x, y, z);
    return E{static_cast<u16>(outside ? 0 : sum.bits)};
  };
  return each(one, a, b, c);
}

// ---- abs, neg ----

template <class E>
constexpr E canonical_half(E x) {
  return {static_cast<u16>(is_nan(to_f32(x)) ? 0x7fff : x.bits)};
}
template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T abs_half(T a) {
  const auto one = []<class E>(E x) HEDDLE_LANE_INLINE {
    return canonical_half(E{static_cast<u16>(half_input<kFtz>(x).bits & 0x7fff)});
  };
  return each(one, a);
}
template <class T, bool kFtz>
HEDDLE_LANE_INLINE constexpr T neg_half(T a) {
  const auto one = []<class E>(E x) HEDDLE_LANE_INLINE {
    return canonical_half(E{static_cast<u16>(half_input<kFtz>(x).bits ^ 0x8000)});
  };
  return each(one, a);
}

// ---- min, max ----

template <class T, bool kMax, bool kFtz, bool kNan, bool kXorsign>
HEDDLE_LANE_INLINE constexpr T extreme_half(T a, T b) {
  const auto one = []<class E>(E x, E y) HEDDLE_LANE_INLINE {
    return narrow<E>(extreme_f32<kMax, false, kNan, kXorsign>(to_f32(half_input<kFtz>(x)),
                                                              to_f32(half_input<kFtz>(y))));
  };
  return each(one, a, b);
}

}  // namespace heddle::sem
