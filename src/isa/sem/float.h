// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules around every f32 and f64 operation: flush to zero, saturation, NaN results, roundings
// (PTX ISA 5.2, 6.5.2, 9.7.3). The functions have no branches, so that a loop over lanes is
// vectorized.
//
// NaN results. f32 operations return 0x7fffffff whatever the operands. f64 keeps payloads: the
// first operand that is a NaN, quieted; an invalid operation gives 0xfff8000000000000. The explicit
// choice makes the result independent of the operand order that a compiler chooses for a host
// instruction.
#pragma once

#include "isa/groups.h"
#include "isa/sem/softfloat.h"

namespace heddle::sem {

constexpr Round round_of(Rnd rnd) {
  return rnd == Rnd::rz   ? Round::toward_zero
         : rnd == Rnd::rm ? Round::toward_negative
         : rnd == Rnd::rp ? Round::toward_positive
                          : Round::nearest_even;
}

inline constexpr u32 kNanF32 = 0x7fffffff;
inline constexpr u64 kNanF64 = 0xfff8000000000000;

constexpr bool is_nan(f32 x) { return x != x; }
constexpr bool is_nan(f64 x) { return x != x; }

constexpr f32 canonical(f32 x) { return is_nan(x) ? as_f32(kNanF32) : x; }
/// A result that becomes canonical when it is converted to f32. An engine that computes many lanes
/// does not convert it, but tests all lanes for NaN at once, off the critical path.
struct LateCanonical {
  f32 raw;
  constexpr operator f32() const { return canonical(raw); }
};
constexpr f64 quiet(f64 x) { return as_f64(bits_of(x) | 0x0008000000000000); }

/// Subnormals become zero of the same sign.
constexpr f32 flush_bits(f32 x) {
  const u32 bits = bits_of(x);
  return as_f32((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
#if defined(HEDDLE_BITCODE)
/// A separate function, so that the compiler can recognise its calls and remove those without an
/// effect.
extern "C" [[gnu::noinline, gnu::const]] inline f32 heddle_flush_f32(f32 x) {
  return flush_bits(x);
}
#endif
constexpr f32 flush(f32 x) {
#if defined(HEDDLE_BITCODE)
  if (!std::is_constant_evaluated()) return heddle_flush_f32(x);
#endif
  return flush_bits(x);
}
constexpr f32 flush(Flag ftz, f32 x) { return ftz == Flag::on ? flush(x) : x; }

#if defined(HEDDLE_BITCODE)
extern "C" [[gnu::noinline, gnu::const]] inline u32 heddle_bits_of_normal(f32 x) {
  return bits_of(x);
}
#endif
/// The bits of a normal number. For a NaN, the bits of any NaN; for a subnormal number, possibly
/// those of zero. For callers that do not distinguish these; the compiler then needs no code that
/// makes x canonical.
constexpr u32 bits_of_normal(f32 x) {
#if defined(HEDDLE_BITCODE)
  if (!std::is_constant_evaluated()) return heddle_bits_of_normal(x);
#endif
  return bits_of(x);
}

/// Clamps to [0, 1]; NaN and -0 give +0.
template <class T>
constexpr T saturate(T x) {
  const T low = x > 0 ? x : T{0};
  return low < 1 ? low : T{1};
}

template <bool kFtz>
constexpr f32 input(f32 x) {
  if constexpr (kFtz) return flush(x);
  return x;
}
/// The rules for every f32 result: flush, saturate, canonical NaN.
template <bool kFtz, bool kSat>
constexpr auto result(f32 x) {
  const f32 flushed = input<kFtz>(x);
  if constexpr (kSat)
    return saturate(flushed);
  else
    return LateCanonical{flushed};
}
constexpr f32 result(Flag ftz, Flag sat, f32 x) {
  const f32 flushed = flush(ftz, x);
  return sat == Flag::on ? saturate(flushed) : canonical(flushed);
}

/// The f64 result of an operation on these operands, once its NaN is the one described above.
constexpr f64 result(f64 x, f64 a) {
  return is_nan(a) ? quiet(a) : is_nan(x) ? as_f64(kNanF64) : x;
}
constexpr f64 result(f64 x, f64 a, f64 b) { return is_nan(a) ? quiet(a) : result(x, b); }
constexpr f64 result(f64 x, f64 a, f64 b, f64 c) { return is_nan(a) ? quiet(a) : result(x, b, c); }

/// a * b + c rounded once. Hosts without fma compute f32 exactly through f64: the product of two
/// f32 fits f64, and a sum rounded to odd in f64 rounds correctly to f32 (Boldo and Melquiond,
/// 2008).
template <class F>
constexpr F sum_to_odd(F a, F b) {
  const F sum = a + b;
  const F b_part = sum - a;
  const F error = (a - (sum - b_part)) + (b - b_part);  // Knuth's TwoSum: sum + error == a + b
  const auto bits = bits_of(sum);
  const auto away = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  const bool inexact = error > 0 || error < 0;  // false for NaN, hence for infinite sums
  const bool even = (bits & 1) == 0;
  return std::bit_cast<F>((inexact & even) ? away : bits);
}

// HEDDLE_HOST_FMA and HEDDLE_HOST_HALF are for builds whose CPU is not known, like the bitcode for
// the JIT.
#if defined(__FMA__) || defined(__aarch64__) || defined(HEDDLE_HOST_FMA)
inline constexpr bool kHostFma = true;  // __builtin_fma is one instruction
#else
inline constexpr bool kHostFma = false;
#endif

constexpr f32 fused(f32 a, f32 b, f32 c) {
  if (kHostFma && !std::is_constant_evaluated()) return __builtin_fmaf(a, b, c);
  return static_cast<f32>(sum_to_odd(f64{a} * f64{b}, f64{c}));
}
constexpr f64 fused(f64 a, f64 b, f64 c) {
  if (!std::is_constant_evaluated()) return __builtin_fma(a, b, c);
  return as_f64(soft_fma<FormatF64>(bits_of(a), bits_of(b), bits_of(c), Round::nearest_even));
}

/// IEEE square root, to nearest.
constexpr f32 square_root(f32 x) {
  if (!std::is_constant_evaluated()) return __builtin_sqrtf(x);
  return as_f32(soft_sqrt<FormatF32>(bits_of(x), Round::nearest_even));
}
constexpr f64 square_root(f64 x) {
  if (!std::is_constant_evaluated()) return __builtin_sqrt(x);
  return as_f64(soft_sqrt<FormatF64>(bits_of(x), Round::nearest_even));
}

}  // namespace heddle::sem
