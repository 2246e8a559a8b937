// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 (PTX ISA 5.2.3, 9.7.4): conversion to and from f32 without branches, and arithmetic
// in a wider format, rounded once. NaN results are 0x7fff in both.
//
// Why arithmetic in f32 gives the correctly rounded + - *: with p = 11 or 8 bits, a result rounded
// first to 24 >= 2p + 2 bits rounds to the same number (Figueroa 1995), and if the result is
// subnormal in the narrow format the f32 result is exact (or, for bf16 products below 2^-134,
// rounds to zero in both ways).
#pragma once

#include "isa/sem/float.h"

namespace heddle::sem {

constexpr u32 select(bool condition, u32 yes, u32 no) { return condition ? yes : no; }

#if defined(HEDDLE_HOST_HALF)
inline constexpr bool kHostHalf = true;  // conversions between _Float16 and float are instructions
using HostHalf = _Float16;
#else
inline constexpr bool kHostHalf = false;
using HostHalf = u16;
#endif

/// Exact; a NaN becomes some NaN.
constexpr f32 widened(f16 x) {
  if constexpr (kHostHalf) {
    if (!std::is_constant_evaluated()) return static_cast<f32>(std::bit_cast<HostHalf>(x.bits));
  }
  const u32 magnitude = (x.bits & 0x7fffu) << 13;
  const u32 sign = (x.bits & 0x8000u) << 16;
  const u32 normal = magnitude + (112u << 23);
  // A subnormal is an integer times 2^-24: the bits are set below a leading one, which is
  // subtracted again.
  const u32 subnormal = bits_of(as_f32(magnitude + (113u << 23)) - as_f32(113u << 23));
  const u32 finite = select(magnitude < (1u << 23), subnormal, normal);
  return as_f32(sign | select(magnitude >= (31u << 23), magnitude + (224u << 23), finite));
}
constexpr f32 widened(bf16 x) { return as_f32(u32{x.bits} << 16); }

/// Exact; NaN becomes the canonical f32 NaN.
template <class T>
  requires std::is_same_v<T, f16> || std::is_same_v<T, bf16>
constexpr f32 to_f32(T x) {
  return canonical(widened(x));
}

/// Round to nearest even.
constexpr f16 to_f16(f32 x) {
  if constexpr (kHostHalf) {
    if (!std::is_constant_evaluated()) {
      const u16 number = std::bit_cast<u16>(static_cast<HostHalf>(x));
      return {static_cast<u16>(select(is_nan(x), 0x7fff, number))};
    }
  }
  const u32 bits = bits_of(x);
  const u32 magnitude = bits & 0x7fffffff;
  // Normal: drop 13 bits, rounding by an integer addition whose carry may reach the exponent.
  const u32 normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal: the unit in the last place of 0.5 + |x| is that of an f16 subnormal, so the host's
  // addition rounds.
  const u32 subnormal =
      bits_of(as_f32(select(magnitude < (113u << 23), magnitude, 0)) + 0.5f) - bits_of(0.5f);
  const u32 finite = select(magnitude < (113u << 23), subnormal, normal);
  const u32 number = select(magnitude >= 0x477ff000u, 0x7c00, finite) | ((bits >> 16) & 0x8000);
  return {static_cast<u16>(select(magnitude > 0x7f800000, 0x7fff, number))};
}
constexpr bf16 to_bf16(f32 x) {
  const u32 bits = bits_of(x);
  const u32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<u16>(select(is_nan(x), 0x7fff, rounded))};
}

/// f64 to f32, inexact results with an odd last bit: a second rounding to at most 22 bits is then
/// correct.
constexpr f32 to_f32_odd(f64 x) {
  const f32 nearest = static_cast<f32>(x);
  const u32 bits = bits_of(nearest);
  const u64 magnitude = bits_of(x) & 0x7fffffffffffffff;
  const u64 rounded = bits_of(f64{nearest}) & 0x7fffffffffffffff;
  const u32 odd = select(rounded > magnitude, bits - 1, bits) | 1;
  return as_f32(select(rounded == magnitude || is_nan(x), bits, odd));
}

template <class T>
constexpr T narrow(f32 x) {
  if constexpr (std::is_same_v<T, f16>)
    return to_f16(x);
  else
    return to_bf16(x);
}
template <class T>
constexpr T narrow(f64 x) {
  return narrow<T>(to_f32_odd(x));
}

/// a * b + c, rounded to odd: the product is exact in f32, and for bf16 in f64.
constexpr f32 fused_to_odd(f16 a, f16 b, f16 c) {
  return sum_to_odd(widened(a) * widened(b), widened(c));
}
constexpr f32 fused_to_odd(bf16 a, bf16 b, bf16 c) {
  return to_f32_odd(sum_to_odd(f64{widened(a)} * f64{widened(b)}, f64{widened(c)}));
}
#if defined(HEDDLE_HOST_HALF)
/// A separate function, so that the compiler can replace its calls by one instruction.
extern "C" [[gnu::noinline]] inline _Float16 heddle_fma_f16(_Float16 a, _Float16 b, _Float16 c) {
  const auto of = [](_Float16 x) { return f16{std::bit_cast<u16>(x)}; };
  // A sum that is first rounded to 24 bits can round to the wrong f16 only if the 24 bits are
  // exactly halfway between two f16. Subnormal results have other halfway points.
  const f32 sum = widened(of(a)) * widened(of(b)) + widened(of(c));
  const bool on_the_middle = (bits_of(sum) & 0x1fff) == 0x1000;
  const u32 magnitude = bits_of(sum) & 0x7fffffff;
  const bool small = magnitude - 1 < (113u << 23) - 1;
  if (__builtin_expect(on_the_middle | small, false))
    return std::bit_cast<_Float16>(to_f16(fused_to_odd(of(a), of(b), of(c))).bits);
  return std::bit_cast<_Float16>(to_f16(sum).bits);
}
#endif

template <class T>
constexpr T fused(T a, T b, T c) {
#if defined(HEDDLE_HOST_HALF)
  if constexpr (std::is_same_v<T, f16>) {
    const auto of = [](f16 x) { return std::bit_cast<_Float16>(x.bits); };
    if (!std::is_constant_evaluated())
      return {std::bit_cast<u16>(heddle_fma_f16(of(a), of(b), of(c)))};
  }
#endif
  return narrow<T>(fused_to_odd(a, b, c));
}

constexpr f16 flush(f16 x) {
  return {static_cast<u16>((x.bits & 0x7c00) == 0 ? x.bits & 0x8000 : x.bits)};
}

// ---- pairs ----

template <class T>
struct PairOf;  // the element type, and the layout of elements in the word
template <>
struct PairOf<f16x2> {
  using Element = f16;
  using Half = u16;
};
template <>
struct PairOf<bf16x2> {
  using Element = bf16;
  using Half = u16;
};
template <>
struct PairOf<f32x2> {
  using Element = f32;
  using Half = u32;
};
template <class T>
using ElementOf = typename PairOf<T>::Element;

template <class P>
constexpr ElementOf<P> low(P pair) {
  return std::bit_cast<ElementOf<P>>(static_cast<typename PairOf<P>::Half>(pair.bits));
}
template <class P>
constexpr ElementOf<P> high(P pair) {
  using Half = typename PairOf<P>::Half;
  return std::bit_cast<ElementOf<P>>(static_cast<Half>(pair.bits >> (8 * sizeof(Half))));
}
template <class P>
constexpr P pack(ElementOf<P> low, ElementOf<P> high) {
  using Half = typename PairOf<P>::Half;
  using Word = decltype(P::bits);
  const Word high_bits = std::bit_cast<Half>(high);
  return {static_cast<Word>(std::bit_cast<Half>(low) | (high_bits << (8 * sizeof(Half))))};
}

/// For functions that are too large for the compilers to inline by themselves: a loop over lanes is
/// vectorized only if it contains no calls. (Spelled so that it may follow a lambda's parameters.)
#define HEDDLE_LANE_INLINE __attribute__((always_inline))

/// The scalar operation `f`, on both halves of packed operands, or on the operands themselves.
template <class T, class F, class... Rest>
HEDDLE_LANE_INLINE constexpr T each(F f, T a, Rest... rest) {
  if constexpr (requires { typename PairOf<T>::Element; }) {
    return pack<T>(f(low(a), low(rest)...), f(high(a), high(rest)...));
  } else {
    return f(a, rest...);
  }
}

}  // namespace heddle::sem
