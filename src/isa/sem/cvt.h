// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between integers and f16, bf16, f32, f64 (PTX ISA 9.7.9.21).
// Conversions to the narrow formats of tensor cores are in cvt_narrow.h.
//
// NaN: float to integer gives 0, or 1 << (width - 1) when the source is f64 or the destination has
// 64 bits. Float to float gives the canonical NaN of the destination; widening to f64 keeps the
// payload. A conversion from a type to itself without modifiers is a move.
#pragma once

#include <limits>

#include "isa/sem/half.h"

namespace heddle::sem {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

/// The format of a floating-point C++ type, and the bits of a value of it.
template <class T>
struct FormatOfType;
template <>
struct FormatOfType<f16> {
  using Type = FormatF16;
};
template <>
struct FormatOfType<bf16> {
  using Type = FormatBf16;
};
template <>
struct FormatOfType<f32> {
  using Type = FormatF32;
};
template <>
struct FormatOfType<f64> {
  using Type = FormatF64;
};
template <class T>
using FormatOf = typename FormatOfType<T>::Type;

template <class T>
constexpr Number unpack_value(T x) {
  using F = FormatOf<T>;
  return unpack<F>(std::bit_cast<typename F::Bits>(x));
}
template <class T>
constexpr T pack_value(const Number& x, Round mode) {
  return std::bit_cast<T>(round_pack<FormatOf<T>>(x, mode));
}

/// A value that the host can compute with: halves become f32.
template <class T>
constexpr auto widen(T x) {
  if constexpr (kIsHalf<T>)
    return to_f32(x);
  else
    return x;
}
/// Back to `T`; the value is known to fit.
template <class T, class V>
constexpr T unwiden(V x) {
  if constexpr (kIsHalf<T>)
    return narrow<T>(x);
  else
    return x;
}

/// `.ftz` flushes f32 sources and f32 results; other types are not flushed.
template <class T>
constexpr T flush_single(Flag ftz, T x) {
  if constexpr (std::is_same_v<T, f32>)
    return flush(ftz, x);
  else
    return x;
}
constexpr f64 canonical(f64 x) { return is_nan(x) ? quiet(x) : x; }

// ---- integer to integer ----

/// Wraps, or with `.sat` clamps to the range of D.
template <class D, class A, bool kSat>
constexpr D cvt_int(A x) {
  using Limits = std::numeric_limits<D>;
  if constexpr (kSat) {
    // Each bound is compared only where the source can pass it; it then is a value of the source
    // type.
    A clamped = x;
    if constexpr (std::is_signed_v<A> && (std::is_unsigned_v<D> || sizeof(D) < sizeof(A))) {
      constexpr A low = static_cast<A>(Limits::min());
      clamped = clamped < low ? low : clamped;
    }
    if constexpr (sizeof(D) < sizeof(A) || (sizeof(D) == sizeof(A) && std::is_signed_v<D>)) {
      constexpr A high = static_cast<A>(Limits::max());
      clamped = clamped > high ? high : clamped;
    }
    return static_cast<D>(clamped);
  } else {
    return static_cast<D>(x);
  }
}

// ---- integer to float ----

template <class D, class A>
constexpr D from_int_nearest(A x) {
  if constexpr (std::is_floating_point_v<D>) {
    return static_cast<D>(x);
  } else if constexpr (sizeof(A) < 8) {
    return narrow<D>(static_cast<f64>(x));  // exact in f64
  } else {
    return pack_value<D>(from_integer(x), Round::nearest_even);
  }
}
template <class D>
constexpr D saturate_value(D x) {
  return unwiden<D>(saturate(widen(x)));
}
template <class D, class A>
constexpr D cvt_from_int(Flag sat, A x) {
  const D value = from_int_nearest<D>(x);
  return sat == Flag::on ? saturate_value(value) : value;
}
template <class D, class A>
constexpr D cvt_from_int_directed(Rnd rnd, Flag sat, A x) {
  const D value = pack_value<D>(from_integer(x), round_of(rnd));
  return sat == Flag::on ? saturate_value(value) : value;
}

// ---- float to integral value ----

/// Rounds to nearest by adding and subtracting 2^23 or 2^52, then corrects by one in the direction
/// of the rounding. A zero keeps the sign of the source; NaN is kept.
template <Irnd kRnd, class T>
constexpr T to_integral(T x) {
  constexpr T kUnit =
      sizeof(T) == 4 ? T{8388608} : T{4503599627370496};  // every larger number is integral
  const T magnitude = x < 0 ? -x : x;
  const T rounded = (magnitude + kUnit) - kUnit;
  const T nearest = x < 0 ? -rounded : rounded;
  const bool down = kRnd == Irnd::rmi || (kRnd == Irnd::rzi && x > 0);
  const bool up = kRnd == Irnd::rpi || (kRnd == Irnd::rzi && x < 0);
  const T step = (down & (nearest > x)) ? T{-1} : (up & (nearest < x)) ? T{1} : T{0};
  const T whole = magnitude < kUnit ? nearest + step : x;
  using Word = std::conditional_t<sizeof(T) == 4, u32, u64>;
  constexpr Word kSign = Word{1} << (8 * sizeof(T) - 1);
  return std::bit_cast<T>((std::bit_cast<Word>(whole) & ~kSign) | (std::bit_cast<Word>(x) & kSign));
}

/// cvt between equal float types.
template <class T, Irnd kRnd>
constexpr T cvt_integral(Flag ftz, Flag sat, T x) {
  const auto value = to_integral<kRnd>(flush_single(ftz, widen(x)));
  return unwiden<T>(sat == Flag::on ? saturate(value) : canonical(value));
}
template <class T>
constexpr T cvt_same(Flag ftz, Flag sat, T x) {
  const auto value = flush_single(ftz, widen(x));
  const T result = unwiden<T>(sat == Flag::on ? saturate(value) : canonical(value));
  return ftz == Flag::off && sat == Flag::off ? x : result;
}

// ---- float to integer ----

/// x truncated and clamped to the range of D. Out-of-range values never reach the host's
/// conversion.
template <class D, class T>
constexpr D cut_to_int(T x, D nan) {
  using Limits = std::numeric_limits<D>;
  constexpr T kEnd =
      T{2} * static_cast<T>(D{1} << (Limits::digits - 1));  // max + 1, a power of two
  constexpr T kLow = static_cast<T>(Limits::min());
  const bool above = x >= kEnd;
  const bool below = x <= kLow;
  D value;
  if constexpr (std::is_unsigned_v<D> &&
                sizeof(D) >= 4) {  // through the signed type: hosts convert only to signed integers
    using S = signed_of<D>;
    constexpr T kHalf = kEnd / 2;
    const bool big = x >= kHalf;
    const T inside = x > kLow && x < kEnd ? x : T{0};
    const S part = static_cast<S>(big && !above ? inside - kHalf : inside);
    value = static_cast<D>(part) ^ (big ? D{1} << (Limits::digits - 1) : D{0});
  } else {
    using S = std::conditional_t<sizeof(D) == 8, s64, s32>;
    value = static_cast<D>(static_cast<S>(x > kLow && x < kEnd ? x : T{0}));
  }
  const D clamped = above ? Limits::max() : below ? Limits::min() : value;
  return is_nan(x) ? nan : clamped;
}

template <class D, class A>
inline constexpr D kIntOfNan =
    std::is_same_v<A, f64> || sizeof(D) == 8 ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};

template <class D, class A, Irnd kRnd>
constexpr D cvt_to_int(Flag ftz, A x) {
  const auto source = flush_single(ftz, widen(x));
  if constexpr (kRnd == Irnd::rzi)
    return cut_to_int<D>(source, kIntOfNan<D, A>);
  else
    return cut_to_int<D>(to_integral<kRnd>(source), kIntOfNan<D, A>);
}

// ---- float to float ----

constexpr f64 to_f64(f32 x) {
  const u32 bits = bits_of(x);
  const u64 nan = (u64{bits >> 31} << 63) | 0x7ff8000000000000 | (u64{bits & 0x3fffff} << 29);
  return is_nan(x) ? as_f64(nan) : f64{x};
}

/// Widening conversions, which are exact: f16 and bf16 to f32 and f64, f32 to f64.
template <class D, class A>
constexpr D cvt_widen(Flag ftz, Flag sat, A x) {
  f32 source = flush_single(ftz, widen(x));
  if constexpr (std::is_same_v<A, bf16> && std::is_same_v<D, f32>) {
    source = flush(ftz, as_f32(u32{x.bits} << 16));  // a shift keeps the payload of a NaN
  }
  if constexpr (std::is_same_v<D, f32>) {
    return sat == Flag::on ? saturate(source) : source;
  } else {
    const f64 value = to_f64(source);
    return sat == Flag::on ? saturate(value) : value;
  }
}

template <class D, class A>
constexpr D narrow_nearest(A x) {
  if constexpr (kIsHalf<D>)
    return narrow<D>(widen(x));
  else
    return canonical(static_cast<D>(x));
}
/// Saturation before rounding gives the same result as after it: 0 and 1 are numbers of every
/// format.
template <class D, class A>
constexpr D cvt_narrow(Flag ftz, Flag sat, A x) {
  const auto source = flush_single(ftz, widen(x));
  return flush_single(ftz, narrow_nearest<D>(sat == Flag::on ? saturate(source) : source));
}
template <class D, class A>
constexpr D cvt_narrow_directed(Rnd rnd, Flag ftz, Flag sat, A x) {
  const auto source = flush_single(ftz, widen(x));
  const auto value = sat == Flag::on ? saturate(source) : source;
  return flush_single(ftz, pack_value<D>(unpack_value(value), round_of(rnd)));
}

/// f16 to bf16 and back; to nearest when no rounding is written.
template <class D, class A>
constexpr D cvt_across(Rnd rnd, A x) {
  return pack_value<D>(unpack_value(x), round_of(rnd));
}

// ---- f32 to f16, bf16 and their pairs, with `.relu` and `.satfinite` ----

/// Largest finite number of the format, as f32.
template <class D>
inline constexpr f32 kMaxNorm = std::is_same_v<D, f16> ? 65504.0f : as_f32(0x7f7f0000);

template <class D>
constexpr f32 prepare(Flag relu, Flag satfinite, f32 x) {
  const f32 positive = x > 0 || is_nan(x) ? x : 0.0f;
  const f32 rectified = relu == Flag::on ? positive : x;
  const f32 top = rectified > kMaxNorm<D> ? kMaxNorm<D> : rectified;
  const f32 clamped = top < -kMaxNorm<D> ? -kMaxNorm<D> : top;
  return satfinite == Flag::on ? clamped : rectified;
}
template <class D, Rnd kRnd>
constexpr D convert_half(f32 x) {
  if constexpr (kRnd == Rnd::rn)
    return narrow<D>(x);
  else
    return pack_value<D>(unpack_value(x), round_of(kRnd));
}
/// The operand that a GPU converts: a conversion to f16 does not flush, even with `.ftz`. ptxas
/// generates the same code for both.
template <class D>
constexpr f32 half_source(Flag ftz, f32 x) {
  return std::is_same_v<D, f16> ? x : flush(ftz, x);
}
template <class D, Rnd kRnd>
constexpr D cvt_half(Flag ftz, Flag sat, Flag relu, Flag satfinite, f32 x) {
  const f32 source = half_source<D>(ftz, x);
  return convert_half<D, kRnd>(
      prepare<D>(relu, satfinite, sat == Flag::on ? saturate(source) : source));
}
/// a goes to the high half, b to the low one.
template <class P, Rnd kRnd>
constexpr P cvt_pair(Flag relu, Flag satfinite, f32 a, f32 b) {
  using D = ElementOf<P>;
  return pack<P>(convert_half<D, kRnd>(prepare<D>(relu, satfinite, b)),
                 convert_half<D, kRnd>(prepare<D>(relu, satfinite, a)));
}

/// The other roundings, at run time.
template <class D>
constexpr D cvt_half_directed(Rnd rnd, Flag ftz, Flag sat, Flag relu, Flag satfinite, f32 x) {
  const f32 source = half_source<D>(ftz, x);
  const f32 value = prepare<D>(relu, satfinite, sat == Flag::on ? saturate(source) : source);
  return pack_value<D>(unpack_value(value), round_of(rnd));
}

// ---- forms without some of the flags above ----

template <class A>
constexpr bf16 cvt_bf16_from_int(A x) {
  return cvt_from_int<bf16>(Flag::off, x);
}
template <class A>
constexpr bf16 cvt_bf16_from_int_directed(Rnd rnd, A x) {
  return cvt_from_int_directed<bf16>(rnd, Flag::off, x);
}
template <class D, Irnd kRnd>
constexpr D cvt_bf16_to_int(bf16 x) {
  return cvt_to_int<D, bf16, kRnd>(Flag::off, x);
}
constexpr bf16 cvt_bf16_from_f64(f64 x) { return cvt_narrow<bf16>(Flag::off, Flag::off, x); }
constexpr bf16 cvt_bf16_from_f64_directed(Rnd rnd, f64 x) {
  return cvt_narrow_directed<bf16>(rnd, Flag::off, Flag::off, x);
}
template <Rnd kRnd>
constexpr bf16 cvt_bf16(Flag ftz, Flag relu, Flag satfinite, f32 x) {
  return cvt_half<bf16, kRnd>(ftz, Flag::off, relu, satfinite, x);
}
constexpr bf16 cvt_bf16_directed(Rnd rnd, Flag ftz, Flag relu, Flag satfinite, f32 x) {
  return cvt_half_directed<bf16>(rnd, ftz, Flag::off, relu, satfinite, x);
}
constexpr f32 cvt_f32_from_bf16(Flag ftz, bf16 x) { return cvt_widen<f32>(ftz, Flag::off, x); }
constexpr f64 cvt_f64_from_bf16(bf16 x) { return cvt_widen<f64>(Flag::off, Flag::off, x); }
template <class T>
constexpr T cvt_same_plain(Flag sat, T x) {
  return cvt_same(Flag::off, sat, x);
}
template <class T, Irnd kRnd>
constexpr T cvt_integral_plain(Flag sat, T x) {
  return cvt_integral<T, kRnd>(Flag::off, sat, x);
}
template <Irnd kRnd>
constexpr bf16 cvt_bf16_integral(bf16 x) {
  if constexpr (kRnd == Irnd::none)
    return x;
  else
    return cvt_integral<bf16, kRnd>(Flag::off, Flag::off, x);
}

}  // namespace heddle::sem
