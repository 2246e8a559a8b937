// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to and from the formats of tensor cores: tf32, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, s2f6 (PTX
// ISA 5.2.3, 5.2.4, 9.7.9.21), and stochastic rounding. Rare conversions run on the soft core
// (softfloat.h).
//
// Conversions to 8, 6 and 4 bits always saturate: overflow and infinity give the largest number.
// NaN stays NaN if the format has one (positive, 0x7f), otherwise it becomes the largest number. A
// packed source or destination holds the first value in its high part.
#pragma once

#include "isa/sem/cvt.h"

namespace heddle::sem {

// ---- tf32 ----

/// Rounds to nearest, ties away from zero, by adding half a unit to the bits. Like the hardware, it
/// does not test for NaN: a NaN with only low payload bits becomes an infinity.
constexpr tf32 cvt_tf32_away(Flag satfinite, f32 x) {
  constexpr u32 kKept = 0xffffe000, kMaxTf32 = 0x7f7fe000;
  const u32 bits = bits_of(x);
  const u32 magnitude = bits & 0x7fffffff;
  const u32 rounded = (magnitude < 0x7f800000 ? magnitude + 0x1000 : magnitude) & kKept;
  const u32 finite = rounded > kMaxTf32 ? kMaxTf32 : rounded;
  const u32 saturated = magnitude > 0x7f800000 ? kNanF32 : finite;
  return {(satfinite == Flag::on ? saturated : rounded) | (bits & 0x80000000)};
}
constexpr tf32 cvt_tf32(Rnd rnd, Flag relu, Flag satfinite, f32 x) {
  if (is_nan(x)) return {kNanF32};
  Number value = unpack_value(relu == Flag::on && !(x > 0) ? 0.0f : x);
  const u32 packed = round_pack<FormatTf32>(value, round_of(rnd));
  const bool overflow = (packed & FormatTf32::kMagnitude) == FormatTf32::kInfinity;
  return {(packed - (satfinite == Flag::on && overflow)) << 13};
}

// ---- 8, 6 and 4 bits ----

/// One value to the format F. Computed in integers without branches, because compiled code converts
/// sixteen at a time: the significand is rounded at the position of the last bit in F, which
/// depends on the exponent if the result is subnormal in F.
template <class F>
constexpr u32 to_small(Flag relu, f32 x) {
  using Wide = FormatF32;
  const u32 bits = bits_of(x), magnitude = bits & Wide::kMagnitude;
  const s32 exponent = static_cast<s32>(magnitude >> Wide::kFractionBits) - Wide::kBias + F::kBias;
  const u32 one = u32{1} << Wide::kFractionBits;
  const u32 significand = (magnitude & (one - 1)) | one;
  const s32 below = exponent < 1 ? 1 - exponent : 0;  // the smallest normal exponent
  const s32 cut = Wide::kFractionBits - F::kFractionBits + below;
  const u32 drop = static_cast<u32>(cut < 31 ? cut : 31);
  const u32 odd = significand >> drop & 1;
  const u32 rounded = (significand + (u32{1} << (drop - 1)) - 1 + odd) >> drop;
  const u32 packed =
      rounded + (exponent < 1 ? 0 : static_cast<u32>(exponent - 1) << F::kFractionBits);
  const u32 finite = packed > F::kMaxFinite ? F::kMaxFinite : packed;
  const bool negative = (bits & Wide::kSignBit) != 0;
  const u32 number = negative ? (relu == Flag::on ? 0 : F::kSignBit | finite) : finite;
  return magnitude > Wide::kInfinity ? F::kNan : number;
}
template <class F>
inline constexpr int kSmallBits = sizeof(FormatE4m3::Bits) * 8 >>
                                  (std::is_same_v<F, FormatE2m1> ? 1 : 0);

template <class R, class F>
constexpr R cvt_to_small(Flag relu, f32 a, f32 b) {
  return static_cast<R>((to_small<F>(relu, a) << kSmallBits<F>) | to_small<F>(relu, b));
}
template <class R, class F, class P>
constexpr R cvt_pair_to_small(Flag relu, P pair) {
  return cvt_to_small<R, F>(relu, to_f32(high(pair)), to_f32(low(pair)));
}

/// One value of the format F as f16, which is always exact.
template <class F>
constexpr f16 from_small(Flag relu, u32 bits) {
  using Half = FormatF16;
  const u32 magnitude = bits & F::kMagnitude;
  const bool negative = (bits & F::kSignBit) != 0;
  u32 value = magnitude << (Half::kFractionBits - F::kFractionBits);
  if constexpr (F::kExponentBits != Half::kExponentBits) {
    // A subnormal number of F is an integer times the last bit of F, and normal in f16.
    const u32 integer = bits_of(static_cast<f32>(static_cast<s32>(magnitude)));
    constexpr int kDistance = FormatF32::kBias - Half::kBias - (F::kMinExponent - F::kFractionBits);
    constexpr int kCut = FormatF32::kFractionBits - Half::kFractionBits;
    const u32 small = (integer >> kCut) - (u32{kDistance} << Half::kFractionBits);
    value = magnitude >> F::kFractionBits
                ? value + (u32{Half::kBias - F::kBias} << Half::kFractionBits)
            : magnitude ? small
                        : 0;
  }
  if constexpr (F::kSpecials != Specials::none) {
    constexpr u32 kLargest = F::kSpecials == Specials::ieee ? F::kInfinity : F::kMaxFinite;
    if (magnitude > kLargest) return {Half::kNan};
  }
  return {static_cast<u16>(negative ? (relu == Flag::on ? 0 : Half::kSignBit | value) : value)};
}
template <class F, class A>
constexpr f16x2 cvt_from_small(Flag relu, A a) {
  constexpr u32 kMask = F::kSignBit | F::kMagnitude;
  return pack<f16x2>(from_small<F>(relu, a & kMask),
                     from_small<F>(relu, (a >> kSmallBits<F>)&kMask));
}

// ---- ue8m0: the exponent of a power of two, 2^(bits - 127) ----

/// The sign is dropped. Without `.satfinite`, a number that is too large becomes 0xff, the NaN.
constexpr u32 to_ue8m0(Rnd rnd, Flag satfinite, f32 x) {
  const u32 magnitude = bits_of(x) & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0xff;
  const bool up =
      rnd == Rnd::rp && (magnitude & 0x7fffff) != 0 && magnitude > 0x400000;  // 0x400000: 2^-127
  const u32 exponent = (magnitude >> 23) + up;
  return satfinite == Flag::on && exponent == 0xff ? 0xfe : exponent;
}
constexpr u16 cvt_ue8m0(Rnd rnd, Flag satfinite, f32 a, f32 b) {
  return static_cast<u16>((to_ue8m0(rnd, satfinite, a) << 8) | to_ue8m0(rnd, satfinite, b));
}
constexpr u16 cvt_pair_ue8m0(Rnd rnd, Flag satfinite, bf16x2 a) {
  return cvt_ue8m0(rnd, satfinite, as_f32(a.bits & 0xffff0000), as_f32(a.bits << 16));
}
constexpr bf16 from_ue8m0(u32 bits) {
  return {static_cast<u16>(bits == 0xff ? 0x7fff : bits == 0 ? 0x0040 : bits << 7)};
}
constexpr bf16x2 cvt_from_ue8m0(u16 a) {
  return pack<bf16x2>(from_ue8m0(a & 0xff), from_ue8m0(a >> 8));
}

// ---- stochastic rounding ----

/// Rounds away from zero when the sum of the random bits and as many of the highest discarded bits
/// has a carry.
template <class F>
constexpr u32 to_stochastic(Flag relu, bool satfinite, f32 x, u32 random, int random_bits) {
  if (is_nan(x)) return F::kNan;
  if (relu == Flag::on && !(x > 0)) return 0;
  const Number value = unpack_value(x);
  const u32 sign = value.negative ? F::kSignBit : 0;
  const u32 largest = satfinite ? F::kMaxFinite : F::kInfinity;
  if (value.kind == Kind::zero) return sign;
  if (value.kind == Kind::infinite || value.exponent > F::kBias + 1) return sign | largest;
  const int exponent = value.exponent < F::kMinExponent ? F::kMinExponent : value.exponent;
  const int drop = kTopBit - F::kFractionBits + (exponent - value.exponent);
  const auto above = [&](int bit) -> u64 {
    return bit > kTopBit ? 0 : static_cast<u64>(value.significand >> bit);
  };
  const u64 discarded = above(drop - random_bits) & ((u64{1} << random_bits) - 1);
  const u64 kept = above(drop) + ((discarded + random) >> random_bits);
  const u64 magnitude = (static_cast<u64>(exponent + F::kBias - 1) << F::kFractionBits) + kept;
  return sign | (magnitude > F::kMaxFinite ? largest : static_cast<u32>(magnitude));
}

/// Uses as many bits of each half of `random` as the conversion from f32 discards.
template <class P, class F>
constexpr P cvt_stochastic(Flag relu, Flag satfinite, f32 a, f32 b, u32 random) {
  constexpr int kLost = FormatF32::kFractionBits - F::kFractionBits;
  constexpr u32 kMask = (u32{1} << kLost) - 1;
  const bool finite = satfinite == Flag::on;
  return P{to_stochastic<F>(relu, finite, a, random >> 16 & kMask, kLost) << 16 |
           to_stochastic<F>(relu, finite, b, random & kMask, kLost)};
}

/// Four values to 8, 6 or 4 bits: 16 random bits for the first two, 16 for the others. Conversions
/// to 4 bits use the upper and the lower bytes of both halves, the others the halves themselves.
template <class R, class F>
constexpr R cvt_stochastic_4(Flag relu, f32 a, f32 b, f32 e, f32 f, u32 random) {
  const u32 upper = random >> 16, lower = random & 0xffff;
  constexpr bool kBytes = sizeof(R) == 2;
  const u32 first = kBytes ? (upper & 0xff00) | lower >> 8 : upper;
  const u32 second = kBytes ? (upper & 0xff) << 8 | (lower & 0xff) : lower;
  const auto one = [&](f32 x, u32 bits) { return to_stochastic<F>(relu, true, x, bits, 16); };
  constexpr int kBits = kSmallBits<F>;
  return static_cast<R>(one(a, first) << 3 * kBits | one(b, first) << 2 * kBits |
                        one(e, second) << kBits | one(f, second));
}

// ---- s2f6: fixed point, s8 / 64; a scale is a ue8m0 ----

constexpr Number scaled_by(Number x, int exponent) {
  x.exponent += exponent;
  return x;
}
constexpr u32 to_s2f6(Flag relu, f32 x, u32 scale) {
  if (is_nan(x) || scale == 0xff) return 0x7f;
  if (relu == Flag::on && !(x > 0)) return 0;
  const Number units = scaled_by(unpack_value(x), 6 - (static_cast<int>(scale) - 127));
  return static_cast<u8>(to_integer<s8>(units, Round::nearest_even, s8{0}));
}
template <bool scaled>
constexpr u16 cvt_to_s2f6(Flag relu, f32 a, f32 b, u16 scale) {
  const u32 scales = scaled ? scale : 0x7f7f;
  return static_cast<u16>(to_s2f6(relu, a, scales >> 8) << 8 | to_s2f6(relu, b, scales & 0xff));
}
template <bool scaled>
constexpr u16 cvt_pair_to_s2f6(Flag relu, bf16x2 a, u16 scale) {
  return cvt_to_s2f6<scaled>(relu, to_f32(high(a)), to_f32(low(a)), scale);
}
constexpr bf16 from_s2f6(Flag satfinite, Flag relu, u32 bits, u32 scale) {
  using F = FormatBf16;
  const s8 value = static_cast<s8>(bits);
  if (scale == 0xff) return {F::kNan};
  if (relu == Flag::on && value < 0) return {0};
  const Number number = scaled_by(from_integer(value), static_cast<int>(scale) - 127 - 6);
  const u16 packed = round_pack<F>(number, Round::nearest_even);
  const bool overflow = (packed & F::kMagnitude) == F::kInfinity;
  return {static_cast<u16>(packed - (satfinite == Flag::on && overflow))};
}
template <bool scaled>
constexpr bf16x2 cvt_from_s2f6(Flag satfinite, Flag relu, u16 a, u16 scale) {
  const u32 scales = scaled ? scale : 0x7f7f;
  return pack<bf16x2>(from_s2f6(satfinite, relu, a & 0xff, scales & 0xff),
                      from_s2f6(satfinite, relu, a >> 8, scales >> 8));
}

}  // namespace heddle::sem
