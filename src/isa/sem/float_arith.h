// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, fma, mad for f32, f32x2 and f64, and their mixed precision forms (PTX
// ISA 9.7.3.3-7, 9.7.5). Round-to-nearest is the host's arithmetic; the other roundings run on
// softfloat.h.
#pragma once

#include "isa/sem/float.h"
#include "isa/sem/half.h"

namespace heddle::sem {

// ---- f32, to nearest ----

template <bool kFtz, bool kSat>
constexpr auto add_f32(f32 a, f32 b) {
  return result<kFtz, kSat>(input<kFtz>(a) + input<kFtz>(b));
}
template <bool kFtz, bool kSat>
constexpr auto sub_f32(f32 a, f32 b) {
  return result<kFtz, kSat>(input<kFtz>(a) - input<kFtz>(b));
}
template <bool kFtz, bool kSat>
constexpr auto mul_f32(f32 a, f32 b) {
  return result<kFtz, kSat>(input<kFtz>(a) * input<kFtz>(b));
}
template <bool kFtz, bool kSat>
constexpr auto fma_f32(f32 a, f32 b, f32 c) {
  return result<kFtz, kSat>(fused(input<kFtz>(a), input<kFtz>(b), input<kFtz>(c)));
}

/// mad.f32 of sm_10 to sm_13 (9.7.3.7): the product is truncated to 24 bits, but has an unlimited
/// exponent range; with c = 0 it is mul and add. An f64 holds the exact product, and the sum with c
/// has in f64 more than twice the bits of an f32, so it may be rounded twice.
template <bool kSat>
constexpr f32 mad_truncated(f32 a, f32 b, f32 c) {
  c = input<true>(c);
  if (c == 0) return add_f32<true, kSat>(mul_f32<true, false>(a, b), c);
  constexpr u64 kBeyond = (u64{1} << 29) - 1;
  const f64 product = f64{input<true>(a)} * f64{input<true>(b)};
  const f64 truncated = product - product == 0 ? as_f64(bits_of(product) & ~kBeyond) : product;
  return result<true, kSat>(static_cast<f32>(truncated + f64{c}));
}

// ---- f32, directed ----

constexpr f32 add_f32_directed(Rnd rnd, Flag ftz, Flag sat, f32 a, f32 b) {
  const u32 sum =
      soft_add<FormatF32>(bits_of(flush(ftz, a)), bits_of(flush(ftz, b)), round_of(rnd));
  return result(ftz, sat, as_f32(sum));
}
constexpr f32 sub_f32_directed(Rnd rnd, Flag ftz, Flag sat, f32 a, f32 b) {
  return add_f32_directed(rnd, ftz, sat, a, -b);
}
constexpr f32 mul_f32_directed(Rnd rnd, Flag ftz, Flag sat, f32 a, f32 b) {
  const u32 product =
      soft_mul<FormatF32>(bits_of(flush(ftz, a)), bits_of(flush(ftz, b)), round_of(rnd));
  return result(ftz, sat, as_f32(product));
}
constexpr f32 fma_f32_directed(Rnd rnd, Flag ftz, Flag sat, f32 a, f32 b, f32 c) {
  const u32 bits = soft_fma<FormatF32>(bits_of(flush(ftz, a)), bits_of(flush(ftz, b)),
                                       bits_of(flush(ftz, c)), round_of(rnd));
  return result(ftz, sat, as_f32(bits));
}

// ---- f64 ----

constexpr f64 add_f64(f64 a, f64 b) { return result(a + b, a, b); }
constexpr f64 sub_f64(f64 a, f64 b) { return result(a - b, a, b); }
constexpr f64 mul_f64(f64 a, f64 b) { return result(a * b, a, b); }
constexpr f64 fma_f64(f64 a, f64 b, f64 c) { return result(fused(a, b, c), a, b, c); }

constexpr f64 add_f64_directed(Rnd rnd, f64 a, f64 b) {
  return result(as_f64(soft_add<FormatF64>(bits_of(a), bits_of(b), round_of(rnd))), a, b);
}
constexpr f64 sub_f64_directed(Rnd rnd, f64 a, f64 b) {
  return result(as_f64(soft_add<FormatF64>(bits_of(a), bits_of(-b), round_of(rnd))), a, b);
}
constexpr f64 mul_f64_directed(Rnd rnd, f64 a, f64 b) {
  return result(as_f64(soft_mul<FormatF64>(bits_of(a), bits_of(b), round_of(rnd))), a, b);
}
constexpr f64 fma_f64_directed(Rnd rnd, f64 a, f64 b, f64 c) {
  return result(as_f64(soft_fma<FormatF64>(bits_of(a), bits_of(b), bits_of(c), round_of(rnd))), a,
                b, c);
}

// ---- f32x2 ----

template <bool kFtz>
constexpr f32x2 add_f32x2(f32x2 a, f32x2 b) {
  return each(add_f32<kFtz, false>, a, b);
}
template <bool kFtz>
constexpr f32x2 sub_f32x2(f32x2 a, f32x2 b) {
  return each(sub_f32<kFtz, false>, a, b);
}
template <bool kFtz>
constexpr f32x2 mul_f32x2(f32x2 a, f32x2 b) {
  return each(mul_f32<kFtz, false>, a, b);
}
template <bool kFtz>
constexpr f32x2 fma_f32x2(f32x2 a, f32x2 b, f32x2 c) {
  return each(fma_f32<kFtz, false>, a, b, c);
}

constexpr f32x2 add_f32x2_directed(Rnd rnd, Flag ftz, f32x2 a, f32x2 b) {
  return each([=](f32 x, f32 y) { return add_f32_directed(rnd, ftz, Flag::off, x, y); }, a, b);
}
constexpr f32x2 sub_f32x2_directed(Rnd rnd, Flag ftz, f32x2 a, f32x2 b) {
  return each([=](f32 x, f32 y) { return sub_f32_directed(rnd, ftz, Flag::off, x, y); }, a, b);
}
constexpr f32x2 mul_f32x2_directed(Rnd rnd, Flag ftz, f32x2 a, f32x2 b) {
  return each([=](f32 x, f32 y) { return mul_f32_directed(rnd, ftz, Flag::off, x, y); }, a, b);
}
constexpr f32x2 fma_f32x2_directed(Rnd rnd, Flag ftz, f32x2 a, f32x2 b, f32x2 c) {
  return each([=](f32 x, f32 y, f32 z) { return fma_f32_directed(rnd, ftz, Flag::off, x, y, z); },
              a, b, c);
}

// ---- mixed precision: f16 or bf16 with f32 ----

template <class T, bool kSat>
constexpr f32 add_mixed(T a, f32 c) {
  return add_f32<false, kSat>(to_f32(a), c);
}
template <class T, bool kSat>
constexpr f32 sub_mixed(T a, f32 c) {
  return sub_f32<false, kSat>(to_f32(a), c);
}
template <class T, bool kSat>
constexpr f32 fma_mixed(T a, T b, f32 c) {
  return fma_f32<false, kSat>(to_f32(a), to_f32(b), c);
}

template <class T>
constexpr f32 add_mixed_directed(Rnd rnd, Flag sat, T a, f32 c) {
  return add_f32_directed(rnd, Flag::off, sat, to_f32(a), c);
}
template <class T>
constexpr f32 sub_mixed_directed(Rnd rnd, Flag sat, T a, f32 c) {
  return sub_f32_directed(rnd, Flag::off, sat, to_f32(a), c);
}
template <class T>
constexpr f32 fma_mixed_directed(Rnd rnd, Flag sat, T a, T b, f32 c) {
  return fma_f32_directed(rnd, Flag::off, sat, to_f32(a), to_f32(b), c);
}

}  // namespace heddle::sem
