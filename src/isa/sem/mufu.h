// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner functions of the approximate instructions, which a GPU's multi-function unit computes.
// Only this file depends on the approximation; tables measured on hardware can replace the bodies.
// float_approx.h has the scaling around them, which is exact.
//
// Contract: a function takes any f32; subnormal inputs count as zero, subnormal results become
// zero, both with their sign; NaN results are canonical; the result depends on the input only. The
// functions are more exact than the manual requires (PTX ISA 9.7.3.13 to .22), and use polynomials
// and IEEE operations, not libm.
#pragma once

#include "isa/sem/float.h"

namespace heddle::sem {

inline constexpr f32 kMinNormal = as_f32(0x00800000);

/// 1 / x: correctly rounded. (Manual: 1 ulp.)
constexpr f32 mufu_rcp(f32 x) { return canonical(flush(1.0f / flush(x))); }

/// 1 / sqrt(x) of a positive normal number, within 2^-23.28. (Manual: 2^-22.9.) Takes a fourth of
/// the time of a root and a division.
constexpr f32 rsq_of_normal(f32 x) {
  const f32 y = as_f32(0x5f375000 - (bits_of_normal(x) >> 1));  // half the exponent; within 3.5 %
  const f32 e = fused(x * y, -y, 1.0f);                         // 1 - x y^2, the error twice
  // ((1 - e)^(-1/2) - 1) / e, |e| < 0.069, as a minimax polynomial: the largest error of y is
  // 2^-25.4.
  f32 p = fused(e, 0.2745477855205536f, 0.3139364719390869f);
  p = fused(p, e, 0.37499892711639404f);
  p = fused(p, e, 0.49999833106994629f);
  return fused(y * e, p, y);
}
/// 1 / sqrt(x). Operands that are not positive normal numbers are rare, and handled behind one
/// branch; so the scaling of subnormal numbers (for kFtz false) is here, too.
template <bool kFtz>
constexpr f32 mufu_rsq(f32 x) {
  constexpr f32 kInfinity = as_f32(0x7f800000);
  f32 root = rsq_of_normal(x);
  if (bits_of_normal(x) - 0x00800000 >= 0x7f000000) [[unlikely]] {
    const f32 source = kFtz ? flush(x) : x * 16777216.0f;
    const f32 number = source == kInfinity ? 0.0f : rsq_of_normal(source) * 4096.0f;
    const f32 pole = as_f32((bits_of(x) & 0x80000000) | 0x7f800000);
    root = source > 0 ? number : source == 0 ? pole : as_f32(kNanF32);
  }
  return root;
}

/// sqrt(x): correctly rounded. (Manual: 2^-23.)
constexpr f32 mufu_sqrt(f32 x) { return canonical(square_root(flush(x))); }

/// 2^x, -126 <= x < 128, within 1 ulp. (Manual: 2 ulp.)
constexpr f32 ex2_of_moderate(f32 x) {
  constexpr f32 kRounder = 12582912.0f;    // 1.5 * 2^23: adding it rounds to an integer
  const f32 rounded = x + kRounder;        // the integer, in the low bits
  const f32 f = x - (rounded - kRounder);  // exact, in [-0.5, 0.5]
  // (2^f - 1) / f, interpolated at Chebyshev nodes; the error is below 2^-28.
  f32 p = fused(f, 0.0001545316294512069f, 0.0013390863364671234f);
  p = fused(p, f, 0.009618082557277852f);
  p = fused(p, f, 0.05550357114219078f);
  p = fused(p, f, 0.24022650760568126f);
  p = fused(p, f, 0.6931471880262288f);
  return as_f32(bits_of(fused(p, f, 1.0f)) + (bits_of(rounded) << 23));
}
/// 2^x. Operands outside of the range of ex2_of_moderate() are rare, and handled behind one branch;
/// so the scaling for subnormal results (for kFtz false), which squares 2^(x/2), is here, too.
template <bool kFtz>
constexpr f32 mufu_ex2(f32 x) {
  constexpr f32 kInfinity = as_f32(0x7f800000);
  const bool moderate = x >= -126.0f && x < 128.0f;
  f32 power = ex2_of_moderate(x);
  if (!moderate) [[unlikely]] {
    const f32 root = ex2_of_moderate(!kFtz && x >= -252.0f && x < 0 ? x * 0.5f : 0.0f);
    const f32 small = !kFtz && x >= -252.0f ? root * root : 0.0f;
    power = x < 0 ? small : x > 0 ? kInfinity : as_f32(kNanF32);
  }
  return power;
}

/// log2(x) of a positive normal number, in f64.
constexpr f64 log2_positive(f32 x) {
  const u32 bits = bits_of(x);
  const s32 exponent =
      static_cast<s32>(bits - 0x3f3504f3) >> 23;  // the mantissa in [sqrt 1/2, sqrt 2)
  const f64 t = f64{as_f32(bits - (static_cast<u32>(exponent) << 23))} - 1;
  const f64 s =
      t / (t + 2);  // log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| < 0.172
  const f64 z = s * s;
  const f64 series =
      1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11)))));
  return exponent + 2.8853900817779268 * s * series;
}
/// log2(x): correctly rounded, except for a few values. (Manual: 2^-22.)
constexpr f32 mufu_lg2(f32 x) {
  constexpr f32 kInfinity = as_f32(0x7f800000);
  const f32 source = flush(x);
  const bool regular = source > 0 && source < kInfinity;
  const f32 value = static_cast<f32>(log2_positive(regular ? source : 1.0f));
  const f32 special = source == 0 ? -kInfinity : source == kInfinity ? kInfinity : as_f32(kNanF32);
  return regular ? value : special;
}

/// sin(2 pi u), |u| < 2^24, within 2^-35.
constexpr f64 sin_of_turns(f64 u) {
  constexpr f64 kRounder = 6755399441055744.0;   // 1.5 * 2^52
  const f64 rounded = 2 * u + kRounder;          // the number of half turns, in the low bits
  const f64 r = u - (rounded - kRounder) * 0.5;  // exact, in [-0.25, 0.25]
  const f64 z = r * r;
  // sin(2 pi r) / r, interpolated at Chebyshev nodes.
  f64 p = -14.393966295455941;
  p = p * z + 42.009779303153906;
  p = p * z - 76.70427987604262;
  p = p * z + 81.60522617402967;
  p = p * z - 41.341702116744;
  p = p * z + 6.283185307072264;
  return as_f64(bits_of(r * p) ^
                (bits_of(rounded) << 63));  // an odd number of half turns flips the sign
}
/// sin and cos of an angle in revolutions, the unit's operand. A number of 2^23 or more is an
/// integer.
constexpr f32 mufu_sin(f32 turns) {
  const f32 u = flush(turns);
  const f32 magnitude = as_f32(bits_of(u) & 0x7fffffff);
  const f32 value = static_cast<f32>(sin_of_turns(f64{magnitude < 8388608.0f ? u : 0.0f}));
  return magnitude < as_f32(0x7f800000) ? value : as_f32(kNanF32);
}
constexpr f32 mufu_cos(f32 turns) {
  const f32 u = flush(turns);
  const f32 magnitude = as_f32(bits_of(u) & 0x7fffffff);
  const f32 value = static_cast<f32>(sin_of_turns(f64{magnitude < 8388608.0f ? u : 0.0f} + 0.25));
  return magnitude < as_f32(0x7f800000) ? value : as_f32(kNanF32);
}

/// tanh(x): relative error below 2^-17; subnormals pass through. (Manual: 2^-11.)
constexpr f32 mufu_tanh(f32 x) {
  const f32 magnitude = as_f32(bits_of(x) & 0x7fffffff);
  const f32 clamped = magnitude < 10.0f ? magnitude : 10.0f;
  const f32 power = ex2_of_moderate(clamped * 2.885390082f);  // e^(2 |x|)
  const f32 far = (power - 1) / (power + 1);
  const f32 near = magnitude - magnitude * (magnitude * magnitude) * 0.333333333f;  // x - x^3 / 3
  const f32 value = magnitude < 0.03125f ? near : far;
  return is_nan(x) ? as_f32(kNanF32) : as_f32(bits_of(value) | (bits_of(x) & 0x80000000));
}

/// 1 / x and 1 / sqrt(x) on the high words of f64 (9.7.3.14, .17): the high word of the exact
/// result, truncated. Subnormals are zero, NaN is 0x7fffffff.
constexpr u32 mufu_rcp64h(u32 high) {
  const u32 sign = high & 0x80000000;
  const u32 magnitude = high & 0x7fffffff;
  const f64 source = as_f64(u64{magnitude} << 32);
  const u32 value = static_cast<u32>(bits_of(1 / source) >> 32);
  const u32 number = magnitude < 0x00100000 ? 0x7ff00000 : value < 0x00100000 ? 0 : value;
  return magnitude > 0x7ff00000 ? kNanF32 : sign | number;
}
constexpr u32 mufu_rsq64h(u32 high) {
  const u32 sign = high & 0x80000000;
  const u32 magnitude = high & 0x7fffffff;
  const f64 source = as_f64(u64{magnitude} << 32);
  const u32 value = static_cast<u32>(bits_of(1 / square_root(source)) >> 32);
  const u32 number = magnitude < 0x00100000 ? sign | 0x7ff00000 : sign != 0 ? kNanF32 : value;
  return magnitude > 0x7ff00000 ? kNanF32 : number;
}

}  // namespace heddle::sem
