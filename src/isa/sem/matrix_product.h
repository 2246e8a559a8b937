// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices as tensor cores compute them (SumRule, docs/matrices.md; PTX ISA 9.7.14 to
// 9.7.16). Operands are decoded first, each by a function of its own: A by rows of sixteen, B by
// columns. A word is a register of a fragment, or 32 bits of memory, and holds one, two or four
// elements of successive k.
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "isa/sem/lanes.h"
#include "isa/sem/vectors.h"
#include "isa/tensor_core.h"

namespace heddle::sem {

using isa::SumRule;

/// The format of an element that is multiplied.
struct ElementFormat {
  u8 container;  ///< bits from one element of a word to the next: 8, 16 or 32
  u8 mantissa, exponent;
  s16 bias;
  u8 position;  ///< of the mantissa's lowest bit in the container
  /// NaN and infinity are the magnitudes from here on; the first one is infinity, if the format has
  /// one.
  u32 first_special;
  bool has_infinity;
};
inline constexpr u32 kNoSpecial = 0x7fffffff;
inline constexpr ElementFormat kF16Format = {16, 10, 5, 15, 0, 0x7c00, true};
inline constexpr ElementFormat kBf16Format = {16, 7, 8, 127, 0, 0x7f80, true};
inline constexpr ElementFormat kTf32Format = {32, 10, 8, 127, 13, 0x3fc00, true};
inline constexpr ElementFormat kE4m3Format = {8, 3, 4, 7, 0, 0x7f, false};
inline constexpr ElementFormat kE5m2Format = {8, 2, 5, 15, 0, 0x7c, true};
inline constexpr ElementFormat kE3m2Format = {8, 2, 3, 3, 0, kNoSpecial, false};
inline constexpr ElementFormat kE2m3Format = {8, 3, 2, 1, 0, kNoSpecial, false};
inline constexpr ElementFormat kE2m1Format = {8, 1, 2, 1, 2, kNoSpecial, false};

/// Instead of the exponents of numbers: those of zero, of an element that a sparse matrix does not
/// store, and of NaN and infinity. The exponent of a product is the sum of two: below kNoProduct,
/// one factor is zero or not stored; above kSpecialProduct, one is special and both are stored.
/// Above kMostProduct, one is special.
inline constexpr s32 kZeroExponent = -1000, kAbsentExponent = -2500, kSpecialExponent = 3000;
inline constexpr s32 kNoProduct = -600, kMostProduct = 300, kSpecialProduct = 1000;

constexpr u32 elements_in_word(const ElementFormat& format) { return 32 / format.container; }
constexpr u32 pairs_in_word(const ElementFormat& format) { return format.container == 8 ? 2 : 1; }
/// The signs of the elements of a word.
constexpr u32 sign_bits(const ElementFormat& format) {
  const u32 sign = u32{1} << (format.position + format.mantissa + format.exponent);
  u32 all = 0;
  for (u32 part = 0; part < elements_in_word(format); ++part)
    all |= sign << (part * format.container);
  return all;
}

/// One operand's storage for up to `kWords` words in each of `kLanes` rows or columns.
template <u32 kWords, u32 kLanes>
struct DecodedWords {
  alignas(64) float values[kWords * 4 * kLanes];
  alignas(64) u32 exponents[kWords * 2 * kLanes];
};

inline constexpr u32 kNanResult = 0x7fffffff;

// ------------------------------------------------------------------------------------- decoding

/// The values of element `part` of each word.
[[gnu::always_inline]] inline f32x16 decode_values(const ElementFormat& f, u32x16 words, u32 part) {
  const u32 at = part * f.container + f.position, bits = f.mantissa + f.exponent;
  // Those with the exponent of f32 are the upper bits of an f32.
  if (f.exponent == 8) return as<f32x16>((words << (31 - at - bits)) & ~u32{0} << (31 - bits));
#ifdef __F16C__
  if (f.container == 16) {
    using f16x16 = _Float16 __attribute__((vector_size(32)));
    using u16x16 = u16 __attribute__((vector_size(32)));
    return convert<f32x16>(as<f16x16>(convert<u16x16>(words >> (part * 16))));
  }
#endif
  const u32x16 element = words >> at;
  const u32x16 magnitude = element & ((u32{1} << bits) - 1);
  const u32x16 sign = (element >> bits) << 31;
  // The exponent of f32 has another bias.
  const float scale = std::bit_cast<float>(static_cast<u32>(254 - f.bias) << 23);
  const f32x16 value = as<f32x16>(magnitude << (23 - f.mantissa)) * scale;
  return as<f32x16>(as<u32x16>(value) | sign);
}

/// The exponents of elements whose magnitudes are lanes of 16 bits.
[[gnu::always_inline]] inline u32x16 decode_exponents(const ElementFormat& f, u32x16 magnitudes) {
  const s16x32 bits = as<s16x32>(magnitudes);
  s16x32 e = max(bits >> f.mantissa, s16x32{} + s16{1}) - f.bias;
  e = select(bits == 0, s16x32{} + static_cast<s16>(kZeroExponent), e);
  if (f.first_special != kNoSpecial)
    e = select(bits >= static_cast<s16>(f.first_special),
               s16x32{} + static_cast<s16>(kSpecialExponent), e);
  return as<u32x16>(e);
}
/// The exponents of a pair of elements of each word.
[[gnu::always_inline]] inline u32x16 decode_exponents(const ElementFormat& f, u32x16 words,
                                                      u32 pair) {
  const u32 mask = (u32{1} << (f.mantissa + f.exponent)) - 1;
  if (f.container == 16) return decode_exponents(f, words & (mask | mask << 16));
  if (f.container == 8) {
    const u32x16 halves = words >> (pair * 16 + f.position);
    return decode_exponents(f, (halves & mask) | (halves & (mask << 8)) << 8);
  }
  // One element; its magnitude has more than 16 bits.
  const u32x16 magnitude = (words >> f.position) & mask;
  s32x16 e = max(as<s32x16>(magnitude >> f.mantissa), s32x16{} + 1) - f.bias;
  e = select(magnitude == 0, s32x16{} + kZeroExponent, e);
  e = select(magnitude >= f.first_special, s32x16{} + kSpecialExponent, e);
  return (as<u32x16>(e) & 0xffff) | (static_cast<u32>(kZeroExponent) << 16);
}

/// The exponents of a pair of elements of a sparse matrix: bits of `stored` words are ones where
/// elements are stored.
inline u32x16 exponents_of_stored(const ElementFormat& f, u32x16 exponents, u32x16 stored,
                                  u32 pair) {
  if (f.container == 8) {
    const u32x16 halves = stored >> (pair * 16);
    const u32x16 low = (halves & 0xff) | (halves & 0xff00) << 8;
    stored = low | low << 8;
  }
  const u32 absent = static_cast<u32>(kAbsentExponent) & 0xffff;
  return select(stored, exponents, u32x16{} + (absent | absent << 16));
}

/// Calls body(format), where format() is a compile-time constant for the usual formats.
template <class F>
inline void with_format(const ElementFormat& f, F body) {
  if (&f == &kF16Format) return body([] { return kF16Format; });
  if (&f == &kBf16Format) return body([] { return kBf16Format; });
  if (&f == &kTf32Format) return body([] { return kTf32Format; });
  if (&f == &kE4m3Format) return body([] { return kE4m3Format; });
  body([&] { return f; });
}

/// decode_values(), with NaN and infinity.
inline f32x16 decode_all_values(const ElementFormat& f, u32x16 words, u32 part) {
  const f32x16 value = decode_values(f, words, part);
  if (f.first_special == kNoSpecial) return value;
  const u32x16 magnitude =
      (words >> (part * f.container + f.position)) & ((u32{1} << (f.mantissa + f.exponent)) - 1);
  const u32x16 infinity = (as<u32x16>(value) & 0x80000000u) | 0x7f800000u;
  const u32x16 special =
      f.has_infinity && magnitude == f.first_special ? infinity : u32x16{} + kNanResult;
  return as<f32x16>(magnitude >= f.first_special ? special : as<u32x16>(value));
}

/// Decodes the words of sixteen rows or columns, the lanes of `words`: word number `word`, lanes
/// from `lane` on, of an operand with `stride` lanes. `ieee`: see SumRule; exponents do not count.
template <class Decoded>
[[gnu::always_inline]] inline void decode_words(const ElementFormat& f, bool ieee, u32x16 words,
                                                u32 word, u32 lane, u32 stride, Decoded& to) {
  const u32 per_word = elements_in_word(f), pairs = pairs_in_word(f);
  const auto store_values = [&](auto decode) {
    for (u32 part = 0; part < per_word; ++part)
      store(to.values + (word * per_word + part) * stride + lane, decode(f, words, part));
  };
  if (ieee) return store_values(decode_all_values);
  store_values(decode_values);
  for (u32 pair = 0; pair < pairs; ++pair)
    store(to.exponents + (word * pairs + pair) * stride + lane, decode_exponents(f, words, pair));
}

// -------------------------------------------------------------------------------------- one step

/// Four words of a row, as a fragment's register has them in four threads.
inline constexpr u32 kGroup = 4;

/// How many products a step adds: those of `groups` groups of words, `parts` elements of the
/// `per_word` of each word.
struct StepShape {
  u32 groups, per_word, parts;
  constexpr u32 pairs_in_word() const { return (per_word + 1) / 2; }
};

/// Sixteen decoded rows of A: for each word and element in it a vector of values, and for each pair
/// of elements a vector of their exponents, of 16 bits each. Values are exact; those of NaN and
/// infinity do not count.
struct Rows {
  const float* values;   ///< element p of word w: values + (w * per_word + p) * kVectorLanes
  const u32* exponents;  ///< pair e of word w: exponents + (w * pairs_in_word + e) * kVectorLanes
  /// From a group of words and an element of each word on.
  Rows from(const StepShape& shape, u32 group, u32 part) const {
    const u32 word = group * kGroup;
    return {values + (word * shape.per_word + part) * kVectorLanes,
            exponents + (word * shape.pairs_in_word() + part / 2) * kVectorLanes};
  }
};
/// A decoded column of B. The words of a group are neighbours, among those of all eight columns:
/// element p of word w of group g is values[(g * per_word + p) * kWarpSize + w].
struct Column {
  const float* values;
  const u32* exponents;
};
inline constexpr u32 kTileColumns = 8;
/// Eight columns of B.
struct Columns {
  const float* values;
  const u32* exponents;
  Column operator[](u32 column) const {
    return {values + column * kGroup, exponents + column * kGroup};
  }
  Columns from(const StepShape& shape, u32 group, u32 part) const {
    return {values + (group * shape.per_word + part) * kWarpSize,
            exponents + (group * shape.pairs_in_word() + part / 2) * kWarpSize};
  }
};

/// Scale factors of sixteen rows, or of columns: their exponents, which are added to those of the
/// products, and which of them are NaN.
struct Scales {
  s32x16 exponents{};
  u32x16 nan{};
};
struct TileScales {
  Scales rows, columns;
  s32x16 of_column(u32 column) const { return rows.exponents + columns.exponents[column]; }
};

/// What a result is rounded to.
struct ResultFormat {
  bool half;       ///< f16, rounded to nearest even; otherwise f32, truncated
  bool short_f32;  ///< SumRule::short_f32
};

/// What is multiplied, and how.
struct MatrixProduct {
  const ElementFormat &a, &b;
  u32 words;  ///< of a row of A
  ResultFormat result;
  bool half_c;  ///< C is f16
};

/// Exponent of the least normal accumulator.
constexpr s32 least_exponent(bool half) { return half ? -14 : -126; }

inline f32x16 power_of_two(s32x16 exponent) { return as<f32x16>((exponent + 127) << 23); }

/// The exponents of accumulators.
inline s32x16 exponents_of(f32x16 c, s32 least) {
  const u32x16 magnitude = as<u32x16>(c) & 0x7fffffff;
  const s32x16 e = max(as<s32x16>(magnitude >> 23) - 127, s32x16{} + least);
  return magnitude == 0 ? s32x16{} + kZeroExponent : e;
}

/// f32 rounded to f16, as f32.
inline f32x16 round_to_half(f32x16 value) {
#ifdef __F16C__
  using f16x16 = _Float16 __attribute__((vector_size(32)));
  return convert<f32x16>(convert<f16x16>(value));
#else
  // f32 has 13 fraction bits more than f16: a sum with 2^13 times the number's power of two has
  // the last place of f16.
  const u32x16 bits = as<u32x16>(value), magnitude = bits & 0x7fffffff, sign = bits ^ magnitude;
  const u32x16 exponent =
      as<u32x16>(max(as<s32x16>(magnitude & 0x7f800000), s32x16{} + (113 << 23)));
  const f32x16 shift = as<f32x16>(exponent + (13 << 23));
  const f32x16 rounded = (as<f32x16>(magnitude) + shift) - shift;
  // 65520 and more; of much more there is no such sum.
  const u32x16 finite =
      select(magnitude >= 0x477ff000u, u32x16{} + 0x7f800000u, as<u32x16>(rounded));
  const u32x16 all = select(magnitude > 0x7f800000u, u32x16{} + kNanResult, finite);
  return as<f32x16>(select(magnitude >= 0x7f800000u, all, finite) | sign);
#endif
}

/// Integers as f32, truncated.
inline f32x16 truncate_to_f32(s32x16 value) {
#ifdef __AVX512F__
  return as<f32x16>(
      _mm512_cvt_roundepi32_ps(as<__m512i>(value), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
#else
  const u32x16 sign = as<u32x16>(value) & 0x80000000u;
  const u32x16 magnitude = value < 0 ? 0 - as<u32x16>(value) : as<u32x16>(value);
  // The bits below the highest 24 are dropped.
  u32x16 dropped = magnitude >> 24;
  dropped |= dropped >> 1;
  dropped |= dropped >> 2;
  dropped |= dropped >> 4;
  return as<f32x16>(as<u32x16>(convert<f32x16>(as<s32x16>(magnitude & ~dropped))) | sign);
#endif
}

// A step for sixteen rows of a column is exact in f32 where exponents lie between these limits.
inline constexpr s32 kMostExponent = 100, kLeastExponent = -100;

/// The largest exponent of a step's addends, and where f32 does not have what the step needs.
struct StepExponents {
  s32x16 largest, unfit;
};
template <StepShape kShape, bool kScaled>
[[gnu::always_inline]] inline StepExponents exponents_of_step(const Rows& a, const Column& b,
                                                              s32 least, s32 floor,
                                                              const s32x16& scale, f32x16 c) {
  constexpr u32 kPairs = kShape.pairs_in_word();
  // Two maxima, since each waits for the one before it.
  s16x32 pairs[2] = {};
#pragma clang loop unroll(full)
  for (u32 group = 0; group < kShape.groups; ++group) {
    for (u32 pair = 0; pair < (kShape.parts + 1) / 2; ++pair) {
      for (u32 word = 0; word < kGroup; ++word) {
        const u32 in_a = (group * kGroup + word) * kPairs + pair, in_b = group * kPairs + pair;
        const s16x32 both = load<s16x32>(a.exponents + in_a * kVectorLanes) +
                            as<s16x32>(u32x16{} + b.exponents[in_b * kWarpSize + word]);
        s16x32& most = pairs[word % 2];
        most = group == 0 && pair == 0 && word < 2 ? both : max(most, both);
      }
    }
  }
  const s16x32 most = max(pairs[0], pairs[1]);
  const u32x16 words = as<u32x16>(most);
  s32x16 largest = as<s32x16>(max(most, as<s16x32>(words << 16 | words >> 16))) >> 16;
  if constexpr (kScaled) largest = largest < kNoProduct ? largest : largest + scale;
  largest = max(largest, exponents_of(c, least));
  return {max(largest, s32x16{} + floor),
          (largest > kMostExponent) | ((largest < kLeastExponent) & (largest > kNoProduct))};
}

/// The sum of c and a step's products, where f32 has it: signs of `unfit` are set elsewhere.
template <StepShape kShape, bool kScaled>
[[gnu::always_inline]] inline f32x16 add_products_fast(const SumRule& rule,
                                                       const ResultFormat& result, const Rows& a,
                                                       const Column& b, s32x16 largest,
                                                       const s32x16& scale, f32x16 c,
                                                       s32x16& unfit) {
  const f32x16 to_unit = power_of_two(rule.fraction_bits - largest);
  // What is scaled below the least power of two is no unit.
  const f32x16 product_to_unit =
      kScaled ? power_of_two(max(rule.fraction_bits - largest + scale, s32x16{} - 126)) : to_unit;
  s32x16 total = convert<s32x16>(c * to_unit);
  // Sixteen products fit into 32 bits.
  constexpr u32 kGroups = std::max(16 / (kGroup * kShape.parts), 1u);
  for (u32 first = 0; first < kShape.groups; first += kGroups) {
    s32x16 sums[2] = {};
    for (u32 group = first; group < std::min(first + kGroups, kShape.groups); ++group) {
      for (u32 part = 0; part < kShape.parts; ++part) {
        for (u32 word = 0; word < kGroup; ++word) {
          const u32 in_a = (group * kGroup + word) * kShape.per_word + part;
          const f32x16 va = load<f32x16>(a.values + in_a * kVectorLanes);
          const float vb = b.values[(group * kShape.per_word + part) * kWarpSize + word];
          sums[word % 2] += convert<s32x16>(va * vb * product_to_unit);
        }
      }
    }
    const s32x16 sum = sums[0] + sums[1];
    const s32x16 next = as<s32x16>(as<u32x16>(total) + as<u32x16>(sum));
    unfit |= (total ^ next) & (sum ^ next);
    total = next;
  }
  f32x16 value = truncate_to_f32(total);
  if (result.half) {  // round to odd
    const u32x16 inexact = convert<s32x16>(value) != total ? u32x16{} + 1 : u32x16{};
    value = as<f32x16>(as<u32x16>(value) | inexact);
  }
  if (result.short_f32) value = as<f32x16>(as<u32x16>(value) & ~u32{0x3ff});
  value *= power_of_two(largest - rule.fraction_bits);
  return result.half ? round_to_half(value) : value;
}

// f32 is not enough for a step with exponents far from zero, infinity or NaN, or with a large sum.

/// The result of a step whose sum is total * 2^exponent.
inline float round_sum(s64 total, s32 exponent, const ResultFormat& result) {
  if (total == 0) return 0;
  const u32 sign = total < 0 ? 0x80000000u : 0;
  const u64 magnitude = total < 0 ? -static_cast<u64>(total) : static_cast<u64>(total);
  constexpr s32 kLeast = -149;  // exponent of the last place of subnormal numbers
  const s32 width = static_cast<s32>(std::bit_width(magnitude));
  const s32 drop = std::max(width - 24, kLeast - exponent);
  const u64 kept = drop <= 0 ? magnitude << -drop : drop < 64 ? magnitude >> drop : 0;
  const bool inexact = drop > 0 && (drop >= 64 || kept << drop != magnitude);
  // With the implicit bit, the exponent is one more.
  const s32 field = std::max(exponent + drop - kLeast, 0);
  u32 bits = static_cast<u32>(kept) + (static_cast<u32>(field) << 23);
  if (result.half && inexact) bits |= 1;  // round to odd
  if (field >= 254) bits = 0x7f800000;
  if (result.short_f32) bits &= ~u32{0x3ff};
  return std::bit_cast<float>(bits | sign);
}

/// Where the elements of one k and of C are special, by row.
struct SpecialProducts {
  u32x16 nan{}, plus{}, minus{};
  /// Adds the product of a row's element, where it is stored, and the column's.
  void add(u32x16 stored, const ElementFormat& fa, f32x16 a, const ElementFormat& fb, float b) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const f32x16 vb = f32x16{} + b;
    const auto first = [](const ElementFormat& f) {
      if (f.first_special == kNoSpecial) return kInfinity;
      const u32 scale = static_cast<u32>(254 - f.bias) << 23;
      return std::bit_cast<float>(f.first_special << (23 - f.mantissa)) *
             std::bit_cast<float>(scale);
    };
    const auto classify = [&](const ElementFormat& f, f32x16 v, u32x16& is_nan,
                              u32x16& is_infinite) {
      const f32x16 size = as<f32x16>(as<u32x16>(v) & 0x7fffffff);
      const float limit = first(f);
      // An f32 may have the infinity, or the next number after the largest one of the format.
      is_infinite = f.has_infinity ? as<u32x16>((size == limit) | (size == kInfinity)) : u32x16{};
      is_nan = f.first_special == kNoSpecial ? u32x16{} : ~as<u32x16>(size < limit) & ~is_infinite;
    };
    u32x16 nan_a, infinite_a, nan_b, infinite_b;
    classify(fa, a, nan_a, infinite_a);
    classify(fb, vb, nan_b, infinite_b);
    nan |= stored & (nan_a | nan_b | (infinite_a & as<u32x16>(vb == 0.0f)) |
                     (infinite_b & as<u32x16>(a == 0.0f)));
    const u32x16 negative = u32x16{} - ((as<u32x16>(a) ^ as<u32x16>(vb)) >> 31);
    plus |= stored & (infinite_a | infinite_b) & ~negative;
    minus |= stored & (infinite_a | infinite_b) & negative;
  }
  void add(f32x16 c) {
    const u32x16 bits = as<u32x16>(c);
    nan |= as<u32x16>((bits & 0x7fffffff) > 0x7f800000u);
    plus |= as<u32x16>(bits == 0x7f800000u);
    minus |= as<u32x16>(bits == 0xff800000u);
  }
  f32x16 apply(f32x16 value) const {
    u32x16 bits = as<u32x16>(value);
    bits = select(plus, u32x16{} + 0x7f800000u, bits);
    bits = select(minus, u32x16{} + 0xff800000u, bits);
    return as<f32x16>(select(nan | (plus & minus), u32x16{} + kNanResult, bits));
  }
};

inline f64x16 wide_power_of_two(s32x16 exponent) {
  const s64x16 bits = (convert<s64x16>(exponent) + 1023) << 52;
  return reinterpret_cast<f64x16>(bits);
}

/// value * 2^exponent, rounded.
inline f32x16 scaled(f32x16 value, s32x16 exponent) {
  return convert<f32x16>(convert<f64x16>(value) * wide_power_of_two(exponent));
}

/// As add_products_fast(), for all operands.
inline f32x16 add_products_wide(const SumRule& rule, const MatrixProduct& what, StepShape shape,
                                const Rows& a, const Column& b, s32 least,
                                const s32x16& exponents_of_scales, f32x16 c) {
  const ResultFormat& result = what.result;
  const u32 per_word = shape.per_word, pairs = shape.pairs_in_word();
  const auto for_each_product = [&](auto f) {
    for (u32 word = 0; word < shape.groups * kGroup; ++word) {
      const u32 group = word / kGroup, in_group = word % kGroup;
      for (u32 part = 0; part < shape.parts; ++part) {
        const u32 shift = part % 2 * 16;
        const u32x16 ea = load<u32x16>(a.exponents + (word * pairs + part / 2) * kVectorLanes);
        const u32 eb = b.exponents[(group * pairs + part / 2) * kWarpSize + in_group];
        const s32x16 e = (as<s32x16>(ea << (16 - shift)) >> 16) + static_cast<s16>(eb >> shift);
        f(load<f32x16>(a.values + (word * per_word + part) * kVectorLanes),
          b.values[(group * per_word + part) * kWarpSize + in_group], e);
      }
    }
  };
  s32x16 largest = s32x16{} + kNoProduct;
  u32x16 special{};
  for_each_product([&](f32x16, float, s32x16 e) {
    special |= as<u32x16>(e > kSpecialProduct);
    largest = max(select(e > kMostProduct, s32x16{} + kNoProduct, e), largest);
  });
  largest = select(largest > kNoProduct, largest + exponents_of_scales, largest);
  SpecialProducts specials;
  specials.add(c);
  const u32x16 special_c = specials.nan | specials.plus | specials.minus;
  c = select(special_c, f32x16{}, c);
  largest = max(largest, exponents_of(c, least));
  largest = max(largest, s32x16{} + (result.half ? rule.floor_f16 : rule.floor_f32));
  if (any(special))
    for_each_product([&](f32x16 va, float vb, s32x16 e) {
      specials.add(as<u32x16>(e > kSpecialProduct), what.a, va, what.b, vb);
    });
  const f64x16 to_unit = wide_power_of_two(rule.fraction_bits - largest);
  const f64x16 scale = wide_power_of_two(exponents_of_scales);
  s64x16 total = convert<s64x16>(convert<f64x16>(c) * to_unit);
  for_each_product([&](f32x16 va, float vb, s32x16 e) {
    const u32x16 counts = as<u32x16>((e > kNoProduct) & (e <= kMostProduct));
    const float finite = vb - vb == 0 ? vb : 0;
    const f64x16 product =
        convert<f64x16>(select(counts, va, f32x16{})) * static_cast<double>(finite);
    total += convert<s64x16>(product * scale * to_unit);
  });
  alignas(64) float sums[kVectorLanes];
  for (u32 i = 0; i < kVectorLanes; ++i)
    sums[i] = round_sum(total[i], largest[i] - rule.fraction_bits, result);
  f32x16 value = load<f32x16>(sums);
  if (result.half) value = round_to_half(value);
  return specials.apply(value);
}

// -------------------------------------------------------------------------------- whole products

/// The sums of eight columns of D, for sixteen rows.
using ColumnSums = f32x16[kTileColumns];

/// One step for eight columns.
template <StepShape kShape, bool kScaled>
inline void add_products(const SumRule& rule, const MatrixProduct& what, const Rows& a,
                         const Columns& b, s32 least, const TileScales& scales, ColumnSums& sums) {
  const auto scale_of = [&](u32 column) { return kScaled ? scales.of_column(column) : s32x16{}; };
  const s32 floor = what.result.half ? rule.floor_f16 : rule.floor_f32;
  StepExponents exponents[kTileColumns];
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < kTileColumns; ++i)
    exponents[i] = exponents_of_step<kShape, kScaled>(
        a, b[i], least, std::max<s32>(floor, kLeastExponent), scale_of(i), sums[i]);
  f32x16 next[kTileColumns];
  s32x16 unfit[kTileColumns], any_unfit{};
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < kTileColumns; ++i) {
    unfit[i] = exponents[i].unfit;
    next[i] = add_products_fast<kShape, kScaled>(rule, what.result, a, b[i], exponents[i].largest,
                                                 scale_of(i), sums[i], unfit[i]);
    any_unfit |= unfit[i];
  }
  const bool all_fit = !any(any_unfit < 0);
  for (u32 i = 0; i < kTileColumns; ++i) {
    sums[i] = all_fit || !any(unfit[i] < 0)
                  ? next[i]
                  : add_products_wide(rule, what, kShape, a, b[i], least, scale_of(i), sums[i]);
  }
}
/// `per_word`, `parts`: of StepShape.
template <bool kScaled, u32 kPerWord, u32 kParts>
inline void add_products(const SumRule& rule, const MatrixProduct& what, u32 groups, const Rows& a,
                         const Columns& b, s32 least, const TileScales& scales, ColumnSums& sums) {
  switch (groups) {
    case 1:
      return add_products<{1, kPerWord, kParts}, kScaled>(rule, what, a, b, least, scales, sums);
    case 2:
      return add_products<{2, kPerWord, kParts}, kScaled>(rule, what, a, b, least, scales, sums);
    default:
      return add_products<{4, kPerWord, kParts}, kScaled>(rule, what, a, b, least, scales, sums);
  }
}

inline f32x16 with_canonical_nan(f32x16 value) {
  return value == value ? value : as<f32x16>(u32x16{} + kNanResult);
}

/// The products of eight columns, added one after the other (SumRule::ieee).
inline void multiply_columns_ieee(const MatrixProduct& what, const Rows& a, const Columns& b,
                                  ColumnSums& sums) {
  const u32 per_word = elements_in_word(what.a);
  ColumnSums local;
  std::copy(std::begin(sums), std::end(sums), local);
  for (u32 word = 0; word < what.words; ++word) {
    for (u32 part = 0; part < per_word; ++part) {
      const f32x16 of_a = load<f32x16>(a.values + (word * per_word + part) * kVectorLanes);
      const float* of_b = b.values + (word / kGroup * per_word + part) * kWarpSize + word % kGroup;
      for (f32x16& sum : local) {
        // By its bits, since an addition of +0 would change -0.
        sum = fused(of_a, as<f32x16>(u32x16{} + std::bit_cast<u32>(*of_b)), sum);
        of_b += kGroup;
      }
    }
  }
  for (u32 i = 0; i < kTileColumns; ++i) {
    sums[i] = with_canonical_nan(local[i]);
    if (what.result.half) sums[i] = round_to_half(sums[i]);
  }
}

/// Eight columns of D for sixteen rows: the products are added to the sums, by steps. Numbers of
/// groups are powers of two.
template <bool kScaled, u32 kPerWord>
inline void multiply_columns(const SumRule& rule, const MatrixProduct& what, const Rows& a,
                             const Columns& b, const TileScales& scales, ColumnSums& sums) {
  const u32 all = what.words / kGroup;
  const u32 groups = std::clamp<u32>(rule.products / (kPerWord * kGroup), 1, all);
  s32 least = least_exponent(what.half_c);
  for (u32 first = 0; first < all; first += groups) {
    constexpr StepShape kShape = {1, kPerWord, kPerWord};
    add_products<kScaled, kPerWord, kPerWord>(rule, what, groups, a.from(kShape, first, 0),
                                              b.from(kShape, first, 0), least, scales, sums);
    least = least_exponent(what.result.half);
  }
}
inline void multiply_columns(const SumRule& rule, const MatrixProduct& what, const Rows& a,
                             const Columns& b, ColumnSums& sums) {
  if (rule.ieee) return multiply_columns_ieee(what, a, b, sums);
  switch (elements_in_word(what.a)) {
    case 1:
      return multiply_columns<false, 1>(rule, what, a, b, {}, sums);
    case 2:
      return multiply_columns<false, 2>(rule, what, a, b, {}, sums);
    default:
      return multiply_columns<false, 4>(rule, what, a, b, {}, sums);
  }
}

/// The same with elements of 8 bits that are multiplied as f16 (NarrowProducts::as_half).
inline void multiply_columns_as_half(const SumRule& rule, const MatrixProduct& what, const Rows& a,
                                     const Columns& b, ColumnSums& sums) {
  constexpr u32 kPerWord = 4, kParts = 2;
  constexpr StepShape kShape = {1, kPerWord, kParts};
  const u32 all = what.words / kGroup;
  const u32 groups = std::clamp<u32>(rule.products / (kParts * kGroup), 1, all);
  ColumnSums products = {};
  for (u32 part = 0; part < kPerWord; part += kParts) {
    for (u32 first = 0; first < all; first += groups) {
      add_products<false, kPerWord, kParts>(rule, what, groups, a.from(kShape, first, part),
                                            b.from(kShape, first, part),
                                            least_exponent(what.result.half), {}, products);
    }
  }
  for (u32 i = 0; i < kTileColumns; ++i) {
    // Two f16 have an exact sum, or one that f32 rounds without changing what f16 makes of it.
    sums[i] = with_canonical_nan(sums[i] + products[i]);
    if (what.result.half) sums[i] = round_to_half(sums[i]);
  }
}

/// multiply_columns() with scale factors; elements have 8 bits.
inline void multiply_scaled_columns(const SumRule& rule, const MatrixProduct& what, const Rows& a,
                                    const Columns& b, const TileScales& scales, ColumnSums& sums) {
  if (rule.ieee) {
    ColumnSums products = {};
    multiply_columns_ieee(what, a, b, products);
    for (u32 i = 0; i < kTileColumns; ++i)
      sums[i] = with_canonical_nan(sums[i] + scaled(products[i], scales.of_column(i)));
  } else {
    multiply_columns<true, 4>(rule, what, a, b, scales, sums);
  }
  for (u32 i = 0; i < kTileColumns; ++i) {
    const u32x16 is_nan = scales.rows.nan | scales.columns.nan[i];
    sums[i] = as<f32x16>(select(is_nan, u32x16{} + kNanResult, as<u32x16>(sums[i])));
  }
}

}  // namespace heddle::sem
