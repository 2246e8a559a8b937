// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to and from the formats of tensor cores: tf32, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0 (PTX
// ISA 5.2.3, 9.7.9.21). Everything but tf32's `.rna` runs on the soft core.
//
// Conversions to 8, 6 and 4 bits always saturate: overflow and infinity give the largest number.
// NaN stays NaN where the format has one (positive, 0x7f) and is the largest number where not. A
// packed source or destination holds the first value in its high part.
#pragma once

#include "isa/sem/cvt.h"

namespace heddle::sem {

// ---- tf32 ----

/// To nearest, ties away from zero: half a unit is added to the bits. Like the hardware, this does
/// not look for NaN: one with only low payload bits becomes an infinity.
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

/// One value to the format F.
template <class F>
constexpr u32 to_small(Flag relu, f32 x) {
  if (is_nan(x)) return F::kNan;
  if (relu == Flag::on && !(x > 0)) return 0;
  const u32 packed = round_pack<F>(unpack_value(x), Round::nearest_even);
  const u32 magnitude = packed & F::kMagnitude;
  return (packed & F::kSignBit) | (magnitude > F::kMaxFinite ? F::kMaxFinite : magnitude);
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

/// One value of the format F, which f16 can always hold.
template <class F>
constexpr f16 from_small(Flag relu, u32 bits) {
  const u16 value =
      soft_convert<FormatF16, F>(static_cast<typename F::Bits>(bits), Round::nearest_even);
  const bool negative = (value & 0x8000) != 0;  // a NaN was made positive
  return {static_cast<u16>(relu == Flag::on && negative ? 0 : value)};
}
template <class F, class A>
constexpr f16x2 cvt_from_small(Flag relu, A a) {
  constexpr u32 kMask = F::kSignBit | F::kMagnitude;
  return pack<f16x2>(from_small<F>(relu, a & kMask),
                     from_small<F>(relu, (a >> kSmallBits<F>)&kMask));
}

// ---- ue8m0: the exponent of a power of two, 2^(bits - 127) ----

/// The sign is dropped. Without `.satfinite` what is too large is 0xff, the NaN.
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

}  // namespace heddle::sem
