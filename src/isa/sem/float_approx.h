// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh (PTX ISA 9.7.3.8, .13 to .22). Roundings by name
// are IEEE. The approximate ones are the multi-function unit (mufu.h) with the scaling that GPUs
// since sm_70 put around it: without `.ftz`, subnormal operands are scaled into the normal range
// and the result is scaled back by exact multiplications.
#pragma once

#include "isa/sem/mufu.h"

namespace heddle::sem {

inline constexpr f32 kHuge = as_f32(0x7e800000);  // 2^126: the reciprocal of more is subnormal
inline constexpr f32 kTwo24 = 16777216.0f;

constexpr f32 absolute(f32 x) { return as_f32(bits_of(x) & 0x7fffffff); }

// ---- IEEE division, reciprocal, square root ----

template <bool kFtz>
constexpr f32 div_f32(f32 a, f32 b) {
  return result<kFtz, false>(input<kFtz>(a) / input<kFtz>(b));
}
template <bool kFtz>
constexpr f32 rcp_f32(f32 a) {
  return result<kFtz, false>(1.0f / input<kFtz>(a));
}
template <bool kFtz>
constexpr f32 sqrt_f32(f32 a) {
  return canonical(square_root(input<kFtz>(a)));
}
constexpr f32 div_f32_directed(Rnd rnd, Flag ftz, f32 a, f32 b) {
  const u32 bits =
      soft_div<FormatF32>(bits_of(flush(ftz, a)), bits_of(flush(ftz, b)), round_of(rnd));
  return result(ftz, Flag::off, as_f32(bits));
}
constexpr f32 rcp_f32_directed(Rnd rnd, Flag ftz, f32 a) {
  return div_f32_directed(rnd, ftz, 1.0f, a);
}
constexpr f32 sqrt_f32_directed(Rnd rnd, Flag ftz, f32 a) {
  return as_f32(soft_sqrt<FormatF32>(bits_of(flush(ftz, a)), round_of(rnd)));
}

constexpr f64 div_f64(f64 a, f64 b) { return result(a / b, a, b); }
constexpr f64 rcp_f64(f64 a) { return result(1 / a, a); }
constexpr f64 sqrt_f64(f64 a) { return result(square_root(a), a); }
constexpr f64 div_f64_directed(Rnd rnd, f64 a, f64 b) {
  return result(as_f64(soft_div<FormatF64>(bits_of(a), bits_of(b), round_of(rnd))), a, b);
}
constexpr f64 rcp_f64_directed(Rnd rnd, f64 a) { return div_f64_directed(rnd, 1, a); }
constexpr f64 sqrt_f64_directed(Rnd rnd, f64 a) {
  return result(as_f64(soft_sqrt<FormatF64>(bits_of(a), round_of(rnd))), a);
}

// ---- approximate division and reciprocal ----

template <bool kFtz>
constexpr f32 rcp_approx(f32 x) {
  if constexpr (kFtz) return mufu_rcp(x);
  const f32 magnitude = absolute(x);
  const f32 scale = magnitude < kMinNormal ? kTwo24 : magnitude > kHuge ? 0.25f : 1.0f;
  return canonical(scale * mufu_rcp(x * scale));
}
/// A divisor above 2^126 has a subnormal reciprocal, which counts as zero: the quotient is 0, or
/// NaN for infinite a.
template <bool kFtz>
constexpr f32 div_approx(f32 a, f32 b) {
  if constexpr (kFtz) return result<true, false>(flush(a) * mufu_rcp(b));
  const f32 scale = absolute(b) < kMinNormal ? kTwo24 : 1.0f;
  return canonical((a * scale) * mufu_rcp(b * scale));
}
template <bool kFtz>
constexpr f32 div_full(f32 a, f32 b) {
  const f32 x = input<kFtz>(a);
  const f32 y = input<kFtz>(b);
  const f32 up = !kFtz && absolute(y) < kMinNormal ? kTwo24 : 1.0f;
  const f32 scale = absolute(y) > kHuge ? 0.25f : up;
  return result<kFtz, false>(input<kFtz>(x * scale) * mufu_rcp(y * scale));
}
/// `div.f32` of PTX 1.3 and older, which could saturate.
constexpr f32 div_legacy(Flag sat, f32 a, f32 b) {
  return result(Flag::on, sat, div_approx<true>(a, b));
}

// ---- the other approximate functions ----

template <bool kFtz>
constexpr f32 rsqrt_approx(f32 x) {
  return mufu_rsq<kFtz>(x);
}
template <bool kFtz>
constexpr f32 sqrt_approx(f32 x) {
  if constexpr (kFtz) return mufu_sqrt(x);
  const bool tiny = absolute(x) < kMinNormal;
  return canonical(mufu_sqrt(x * (tiny ? kTwo24 : 1.0f)) * (tiny ? 0.000244140625f : 1.0f));
}
template <bool kFtz>
constexpr f32 lg2_approx(f32 x) {
  if constexpr (kFtz) return mufu_lg2(x);
  const bool tiny = absolute(x) < kMinNormal;
  return canonical(mufu_lg2(x * (tiny ? kTwo24 : 1.0f)) - (tiny ? 24.0f : 0.0f));
}
template <bool kFtz>
constexpr f32 ex2_approx(f32 x) {
  return mufu_ex2<kFtz>(x);
}

/// x / (2 pi), truncated; `.ftz` makes no difference.
constexpr f32 turns_of(f32 x) {
  const f64 product = f64{x} * f64{as_f32(0x3e22f983)};  // exact
  const f32 nearest = static_cast<f32>(product);
  const u64 exact = bits_of(product) & 0x7fffffffffffffff;
  const bool beyond = (bits_of(f64{nearest}) & 0x7fffffffffffffff) > exact;
  return as_f32(bits_of(nearest) - (beyond ? 1 : 0));
}
constexpr f32 sin_approx(f32 x) { return mufu_sin(turns_of(x)); }
constexpr f32 cos_approx(f32 x) { return mufu_cos(turns_of(x)); }
constexpr f32 tanh_approx(f32 x) { return mufu_tanh(x); }

// ---- f64 ----

constexpr f64 rcp_approx_f64(f64 x) {
  return as_f64(u64{mufu_rcp64h(static_cast<u32>(bits_of(x) >> 32))} << 32);
}
constexpr f64 rsqrt_approx_ftz_f64(f64 x) {
  return as_f64(u64{mufu_rsq64h(static_cast<u32>(bits_of(x) >> 32))} << 32);
}
/// GPUs have a software routine for this; Heddle rounds twice.
constexpr f64 rsqrt_approx_f64(f64 x) { return result(1 / square_root(x), x); }

}  // namespace heddle::sem
