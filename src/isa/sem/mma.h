// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync with dense matrices (PTX ISA 9.7.14.5). Each function multiplies the fragments of a
// warp; matrix_product.h has the arithmetic of floating-point formats.
#pragma once

#include "isa/sem/matrix_f64.h"
#include "isa/sem/matrix_fragments.h"
#include "isa/sem/matrix_integers.h"
#include "isa/sem/matrix_tiles.h"
#include "isa/types.h"

namespace heddle::sem {

// ------------------------------------------------------------------------------- floating point

constexpr const ElementFormat& format_of(isa::Type type) {
  switch (type) {
    case isa::Type::f16:
      return kF16Format;
    case isa::Type::bf16:
      return kBf16Format;
    case isa::Type::tf32:
      return kTf32Format;
    case isa::Type::e4m3:
      return kE4m3Format;
    case isa::Type::e5m2:
      return kE5m2Format;
    case isa::Type::e3m2:
      return kE3m2Format;
    case isa::Type::e2m3:
      return kE2m3Format;
    default:
      return kE2m1Format;
  }
}

using DecodedA = DecodedWords<kMostWords, kVectorLanes>;
using DecodedB = DecodedWords<kMostWords, kWarpSize>;

inline Rows rows_of(const DecodedA& a) { return {a.values, a.exponents}; }
inline Rows decode_a(const ElementFormat& f, bool ieee, const RowsOfA& a, u32 words, DecodedA& to) {
  const u32 pairs = pairs_in_word(f);
  with_format(f, [&](auto format) {
    for (u32 word = 0; word < words; ++word)
      decode_words(format(), ieee, a.words[word], word, 0, kVectorLanes, to);
  });
  for (u32 i = 0; a.sparse && !ieee && i < words * pairs; ++i) {
    u32* const at = to.exponents + i * kVectorLanes;
    store(at, exponents_of_stored(f, load<u32x16>(at), a.stored[i / pairs], i % pairs));
  }
  return rows_of(to);
}
/// `words`: of a column.
inline void decode_b(const ElementFormat& f, bool ieee, Registers<const u32> b, u32 words,
                     DecodedB& to) {
  with_format(f, [&](auto format) {
    for (u32 group = 0; group < words / kGroup; ++group) {
      for (u32 lane = 0; lane < kWarpSize; lane += kVectorLanes)
        decode_words(format(), ieee, load<u32x16>(b[group] + lane), group, lane, kWarpSize, to);
    }
  });
}
inline Columns columns_of(const DecodedB& b) { return {b.values, b.exponents}; }

/// The types of the operands of a product.
struct MatrixTypes {
  isa::Type a, b, c, d;
};
/// The rule of a product. That of a sparse A is exact: what A does not store is no factor.
constexpr SumRule rule_of(SumRule rule, bool sparse) {
  rule.ieee &= !sparse;
  return rule;
}
/// How an instruction adds the products.
struct ProductRule {
  const SumRule& sum;
  isa::NarrowProducts narrow = isa::NarrowProducts::native;
};

/// The sums of a tile before its products: C, or zeros.
inline void load_sums(const MatrixProduct& what, const Tile& tile, bool has_c, ColumnSums& sums) {
  u32x16 words[kTileColumns] = {};
  if (has_c) what.half_c ? load_half_accumulator(tile, words) : load_accumulator(tile, words);
  for (u32 i = 0; i < kTileColumns; ++i) sums[i] = as<f32x16>(words[i]);
}
inline void store_sums(const MatrixProduct& what, const Tile& tile, const ColumnSums& sums) {
  u32x16 words[kTileColumns];
  for (u32 i = 0; i < kTileColumns; ++i) words[i] = as<u32x16>(sums[i]);
  what.result.half ? store_half_accumulator(tile, words) : store_accumulator(tile, words);
}
/// Adds the products of the rows of a tile and eight columns to C: `multiply(what, rows of A,
/// columns of B, sums)` does so.
template <class Multiply>
inline void multiply_tile(const MatrixProduct& what, const Rows& rows, const DecodedB& columns,
                          const Tile& tile, bool has_c, Multiply multiply) {
  ColumnSums sums;
  load_sums(what, tile, has_c, sums);
  multiply(what, rows, columns_of(columns), sums);
  store_sums(what, tile, sums);
}

constexpr MatrixProduct product_of(const SumRule& rule, const MatrixTypes& types, u32 k) {
  const ElementFormat& fa = format_of(types.a);
  const bool half = types.d == isa::Type::f16;
  return {fa,
          format_of(types.b),
          k / elements_in_word(fa),
          {half, rule.short_f32 && !half},
          types.c == isa::Type::f16};
}

/// The same for all tiles of a product.
template <class Multiply>
inline void multiply_tiles(const SumRule& rule, MatrixShape shape, const MatrixTypes& types,
                           WarpLanes who, const Fragments& fragments, const SparseA& sparsity,
                           Multiply multiply) {
  const MatrixProduct what = product_of(rule, types, shape.k);
  for_each_tile({shape, what.words, what.half_c, what.result.half}, who.active, fragments,
                [&](const Tile& tile) {
                  RowsOfA a;
                  DecodedA decoded_a;
                  DecodedB decoded_b;
                  load_rows(tile, sparsity, a);
                  const Rows rows = decode_a(what.a, rule.ieee, a, what.words, decoded_a);
                  decode_b(what.b, rule.ieee, tile.b, what.words, decoded_b);
                  multiply_tile(what, rows, decoded_b, tile, true, multiply);
                });
}

inline void mma_float(const ProductRule& rule, MatrixShape shape, const MatrixTypes& types,
                      WarpLanes who, const Fragments& fragments, const SparseA& sparsity = {}) {
  const SumRule sum = rule_of(rule.sum, sparsity.metadata != nullptr);
  multiply_tiles(sum, shape, types, who, fragments, sparsity,
                 [&](const MatrixProduct& what, const Rows& a, const Columns& b, ColumnSums& sums) {
                   if (rule.narrow == isa::NarrowProducts::as_half && !sum.ieee)
                     multiply_columns_as_half(sum, what, a, b, sums);
                   else
                     multiply_columns(sum, what, a, b, sums);
                 });
}

inline void mma_f16(isa::MmaShape shape, isa::Type d_type, isa::Type c_type,
                    const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                    Registers<const u32> b, Registers<const u32> c, Registers<u32> d) {
  mma_float({core.mma_f16}, matrix_shape(shape), {isa::Type::f16, isa::Type::f16, c_type, d_type},
            who, {a, b, c, d});
}
/// The rule of bf16 and tf32.
constexpr const SumRule& f32_rule(const isa::TensorCore& core, isa::Type type) {
  return type == isa::Type::tf32 ? core.mma_tf32 : core.mma_f16;
}
/// bf16 and tf32.
inline void mma_f32(isa::MmaShape shape, isa::Type type, const isa::TensorCore& core, WarpLanes who,
                    Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                    Registers<u32> d) {
  mma_float({f32_rule(core, type)}, matrix_shape(shape),
            {type, type, isa::Type::f32, isa::Type::f32}, who, {a, b, c, d});
}
/// Elements of 8 bits and less.
inline void mma_narrow(isa::MmaShape shape, isa::Type d_type, isa::Type a_type, isa::Type b_type,
                       isa::Type c_type, const isa::TensorCore& core, WarpLanes who,
                       Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                       Registers<u32> d) {
  mma_float({core.mma_narrow, core.mma_narrow_products}, matrix_shape(shape),
            {a_type, b_type, c_type, d_type}, who, {a, b, c, d});
}

/// Four products of 8 x 4 by 4 x 8 matrices, mma.m8n8k4 (9.7.14.5.1). Only sm_70 computes them by
/// tensor cores.
inline void mma_f16_quads(isa::Alayout a_layout, isa::Blayout b_layout, isa::Type d_type,
                          isa::Type c_type, const isa::TensorCore& core, WarpLanes who,
                          Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                          Registers<u32> d) {
  constexpr u32 kProducts = 4, kK = 4, kElements = 8;
  const bool half_c = c_type == isa::Type::f16, half_d = d_type == isa::Type::f16;
  const auto half_of = [](Registers<const u32> from, u32 lane, u32 i) {
    return from[i / 2][lane] >> (i % 2 * 16) & 0xffff;
  };
  alignas(64) u32 of_a[kProducts][kGroup][kVectorLanes] = {};
  alignas(64) u32 of_b[kProducts][kWarpSize] = {};
  alignas(64) u32 sums[kProducts][kTileColumns][kVectorLanes] = {};
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 product = mma884_product(lane);
    for (u32 i = 0; i < kK; ++i) {
      const MatrixElement ea = mma884_a(a_layout == isa::Alayout::row, lane, i);
      const MatrixElement eb = mma884_b(b_layout == isa::Blayout::row, lane, i);
      of_a[product][ea.column / 2][ea.row] |= half_of(a, lane, i) << (ea.column % 2 * 16);
      of_b[product][eb.column * kGroup + eb.row / 2] |= half_of(b, lane, i) << (eb.row % 2 * 16);
    }
    for (u32 i = 0; i < kElements; ++i) {
      const MatrixElement e = mma884_accumulator(half_c ? 16 : 32, lane, i);
      sums[product][e.column][e.row] = half_c ? half_of(c, lane, i) : c[i][lane];
    }
  }
  // Half of the words are padding, whose products are zeros; added to -0 by f32, they would be
  // seen.
  const bool ieee = core.mma_f16_quads.ieee;
  const MatrixProduct what = {
      kF16Format, kF16Format, ieee ? kK / 2 : kGroup, {half_d, false}, half_c};
  for (u32 product = 0; product < kProducts; ++product) {
    RowsOfA quad = {};
    DecodedA decoded_a;
    DecodedB decoded_b;
    for (u32 word = 0; word < kGroup; ++word) quad.words[word] = load<u32x16>(of_a[product][word]);
    const Rows rows = decode_a(kF16Format, ieee, quad, kGroup, decoded_a);
    const u32* const registers_of_b[] = {of_b[product]};
    decode_b(kF16Format, ieee, registers_of_b, kGroup, decoded_b);
    ColumnSums of_columns;
    for (u32 column = 0; column < kTileColumns; ++column) {
      const u32x16 words_of_c = load<u32x16>(sums[product][column]);
      of_columns[column] = half_c ? half_values(words_of_c, 0) : as<f32x16>(words_of_c);
    }
    multiply_columns(core.mma_f16_quads, what, rows, columns_of(decoded_b), of_columns);
    for (u32 column = 0; column < kTileColumns; ++column) {
      const f32x16 sum = of_columns[column];
      store(sums[product][column], half_d ? half_bits(sum) : as<u32x16>(sum));
    }
  }
  for_each_lane(who.active, [&](u32 lane) {
    for (u32 i = 0; i < kElements; ++i) {
      const MatrixElement e = mma884_accumulator(half_d ? 16 : 32, lane, i);
      const u32 bits = sums[mma884_product(lane)][e.column][e.row];
      if (!half_d)
        d[i][lane] = bits;
      else if (i % 2 == 0)
        d[i / 2][lane] = bits;
      else
        d[i / 2][lane] |= bits << 16;
    }
  });
}

// ------------------------------------------------------------------------------------- integers

inline void multiply_integers(MatrixShape shape, isa::Type a_type, isa::Type b_type, Flag satfinite,
                              WarpLanes who, const Fragments& fragments,
                              const SparseA& sparsity = {}) {
  const u32 words = shape.k / elements_in_word(a_type);
  for_each_tile({shape, words, false, false}, who.active, fragments, [&](const Tile& tile) {
    RowsOfA a;
    IntegerRows rows;
    IntegerColumns columns;
    load_rows(tile, sparsity, a);
    decode_rows(a_type, a, tile.words, rows);
    decode_columns(b_type, tile.b, tile.words, columns);
    multiply_tile(a_type, rows, columns, tile, true, satfinite == Flag::on);
  });
}

inline void mma_integer(isa::MmaShape shape, isa::Type a_type, isa::Type b_type, Flag satfinite,
                        WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                        Registers<const u32> c, Registers<u32> d) {
  multiply_integers(matrix_shape(shape), a_type, b_type, satfinite, who, {a, b, c, d});
}

inline u32x16 count_bits(u32x16 v) {
  v -= (v >> 1) & 0x55555555;
  v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
  v = (v + (v >> 4)) & 0x0f0f0f0f;
  v += v >> 8;
  return (v + (v >> 16)) & 0x3f;
}

/// Elements of one bit: D = C + the number of bits in A xor B, or A and B.
inline void multiply_bits(isa::Boolop op, const WordsOfA& rows, const Tile& tile, bool has_c) {
  u32x16 sums[kTileColumns] = {};
  if (has_c) load_accumulator(tile, sums);
  for (u32 column = 0; column < kTileColumns; ++column) {
    for (u32 word = 0; word < tile.words; ++word) {
      const u32 of_b = tile.b[word / kGroup][column * kGroup + word % kGroup];
      sums[column] += count_bits(op == isa::Boolop::xor_ ? rows[word] ^ of_b : rows[word] & of_b);
    }
  }
  store_accumulator(tile, sums);
}

inline void mma_bits(isa::MmaShape shape_name, isa::Boolop op, WarpLanes who,
                     Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                     Registers<u32> d) {
  const MatrixShape shape = matrix_shape(shape_name);
  const u32 words = shape.k / 32;
  for_each_tile({shape, words, false, false}, who.active, {a, b, c, d}, [&](const Tile& tile) {
    WordsOfA rows;
    load_a(tile, words, rows);
    multiply_bits(op, rows, tile, true);
  });
}

// ------------------------------------------------------------------------------- block scaling

/// The formats of scale factors; a sign does not count.
struct Scale {
  s32 exponent;
  float significand;  ///< below 2
  bool nan;
};
constexpr Scale decode_scale(isa::Type type, u32 byte) {
  if (type == isa::Type::ue8m0) return {static_cast<s32>(byte) - 127, 1, byte == 0xff};
  const u32 magnitude = byte & 0x7f, field = magnitude >> 3, fraction = magnitude & 7;
  const float significand = static_cast<float>(field ? 8 + fraction : fraction) / 8;
  return {std::max<s32>(static_cast<s32>(field), 1) - 7, significand, magnitude == 0x7f};
}

/// `scale(i)`: that of row or column i, of `count`.
template <class F>
inline Scales decode_scales(u32 count, F scale) {
  Scales all;
  for (u32 i = 0; i < count; ++i) {
    const Scale one = scale(i);
    all.exponents[i] = one.exponent;
    all.nan[i] = one.nan ? ~0u : 0;
  }
  return all;
}

/// The scale factors of an operand (9.7.14.3): bytes of a register, in lanes that are selected.
struct ScaleOperand {
  const u32* data;
  u32 byte, thread;
};
inline u32 scale_of_row(const ScaleOperand& scale, u32 row, u32 chunk) {
  const u32 lane = row % 8 * 4 + scale.thread * 2 + row / 8;
  return scale.data[lane] >> ((scale.byte + chunk) * 8) & 0xff;
}
inline u32 scale_of_column(const ScaleOperand& scale, u32 column, u32 chunk) {
  return scale.data[column * 4 + scale.thread] >> ((scale.byte + chunk) * 8) & 0xff;
}

/// Elements of 8 bits and less; one scale factor for a row or column.
inline void multiply_scaled(const SumRule& usual, MatrixShape shape, isa::Type a_type,
                            isa::Type b_type, WarpLanes who, const Fragments& fragments,
                            const ScaleOperand& scale_a, const ScaleOperand& scale_b,
                            const SparseA& sparsity = {}) {
  constexpr isa::Type kScaleType = isa::Type::ue8m0;
  const SumRule rule = rule_of(usual, sparsity.metadata != nullptr);
  const TileScales scales = {
      decode_scales(
          kVectorLanes,
          [&](u32 row) { return decode_scale(kScaleType, scale_of_row(scale_a, row, 0)); }),
      decode_scales(kTileColumns, [&](u32 column) {
        return decode_scale(kScaleType, scale_of_column(scale_b, column, 0));
      })};
  multiply_tiles(rule, shape, {a_type, b_type, isa::Type::f32, isa::Type::f32}, who, fragments,
                 sparsity,
                 [&](const MatrixProduct& what, const Rows& a, const Columns& b, ColumnSums& sums) {
                   multiply_scaled_columns(rule, what, a, b, scales, sums);
                 });
}

inline void mma_scaled(isa::Type a_type, isa::Type b_type, const isa::TensorCore& core,
                       WarpLanes who, Registers<const u32> a, Registers<const u32> b,
                       Registers<const u32> c, Registers<const u32> scale_a,
                       Registers<const u16> select_a, Registers<const u32> scale_b,
                       Registers<const u16> select_b, Registers<u32> d) {
  multiply_scaled(core.scaled_narrow, {16, 8, 32}, a_type, b_type, who, {a, b, c, d},
                  {scale_a[0], select_a[0][0], select_a[1][0]},
                  {scale_b[0], select_b[0][0], select_b[1][0]});
}

/// The sum of sixteen products of elements of e2m1 in each row, exact but for the scale factors'
/// exponents.
struct ScaledSum {
  f32x16 value;
  s32x16 exponent;
};

/// A step adds some of these sums and C, which becomes the result.
inline void add_scaled_sums(const SumRule& rule, const ScaledSum* sums, u32 count, f32x16& c) {
  if (rule.ieee) {
    for (u32 i = 0; i < count; ++i) c += scaled(sums[i].value, sums[i].exponent);
    c = with_canonical_nan(c);
    return;
  }
  SpecialProducts specials;
  specials.add(c);
  c = select(specials.nan | specials.plus | specials.minus, f32x16{}, c);
  s32x16 largest = exponents_of(c, least_exponent(false));
  for (u32 i = 0; i < count; ++i) {
    largest =
        max(largest, select(sums[i].value == 0.0f, s32x16{} + kZeroExponent, sums[i].exponent));
  }
  largest = max(largest, s32x16{} + rule.floor_f32);
  const s32x16 shift = rule.fraction_bits - largest;
  s64x16 total = convert<s64x16>(convert<f64x16>(c) * wide_power_of_two(shift));
  for (u32 i = 0; i < count; ++i) {
    total += convert<s64x16>(convert<f64x16>(sums[i].value) *
                             wide_power_of_two(max(shift + sums[i].exponent, s32x16{} - 1000)));
  }
  alignas(64) float results[kVectorLanes];
  for (u32 row = 0; row < kVectorLanes; ++row)
    results[row] = round_sum(total[row], largest[row] - rule.fraction_bits, {false, false});
  c = specials.apply(load<f32x16>(results));
}

inline constexpr u32 kFp4InWord = elements_in_word(isa::Type::e2m1), kFp4InSum = 16,
                     kMostFp4Sums = 8;
/// The scale factors of sixteen rows, for each sum of sixteen products.
struct RowScalesOfSums {
  s32x16 exponents[kMostFp4Sums];
  f32x16 significands[kMostFp4Sums];
  u32x16 nan{};
};
/// `scale(row, sum)`: that of a row's elements in a sum.
template <class F>
inline RowScalesOfSums row_scales_of_sums(u32 sums, F scale) {
  RowScalesOfSums all;
  for (u32 row = 0; row < kVectorLanes; ++row) {
    for (u32 sum = 0; sum < sums; ++sum) {
      const Scale one = scale(row, sum);
      all.exponents[sum][row] = one.exponent;
      all.significands[sum][row] = one.significand;
      if (one.nan) all.nan[row] = ~0u;
    }
  }
  return all;
}

/// Adds the products of rows and eight columns of e2m1 to `results`, in steps of rule.products
/// sums. `scale(column, sum)`: that of a column's elements in a sum.
template <class F>
inline void multiply_fp4_columns(const SumRule& rule, u32 sums, const IntegerRows& rows,
                                 const IntegerColumns& columns, const RowScalesOfSums& scales,
                                 F scale, u32x16 (&results)[kTileColumns]) {
  constexpr u32 kWordsInSum = kFp4InSum / kFp4InWord;
  constexpr float kQuarter = 0.25f;  // of two half units
  for (u32 column = 0; column < kTileColumns; ++column) {
    ScaledSum scaled[kMostFp4Sums];
    bool nan = false;
    for (u32 sum = 0; sum < sums; ++sum) {
      const Scale of_b = scale(column, sum);
      const f32x16 exact = convert<f32x16>(exact_sum<kFp4InWord / 2, kWordsInSum>(
                               rows, columns, column, sum * kWordsInSum)) *
                           kQuarter;
      scaled[sum] = {exact * scales.significands[sum] * of_b.significand,
                     scales.exponents[sum] + of_b.exponent};
      nan |= of_b.nan;
    }
    f32x16 result = as<f32x16>(results[column]);
    for (u32 sum = 0; sum < sums; sum += rule.products)
      add_scaled_sums(rule, scaled + sum, std::min<u32>(rule.products, sums - sum), result);
    const u32x16 is_nan = nan ? ~u32x16{} : scales.nan;
    results[column] = select(is_nan, u32x16{} + kNanResult, as<u32x16>(result));
  }
}

/// `chunks`: scale factors of a row or column; K has `k` elements.
inline void multiply_fp4(const SumRule& usual, u32 k, u32 chunks, isa::Type scale_type,
                         WarpLanes who, const Fragments& fragments, const ScaleOperand& scale_a,
                         const ScaleOperand& scale_b, const SparseA& sparsity = {}) {
  const SumRule rule = rule_of(usual, sparsity.metadata != nullptr);
  const u32 words = k / kFp4InWord, sums = k / kFp4InSum;
  const auto chunk_of = [&](u32 sum) { return sum * chunks / sums; };
  const RowScalesOfSums scales = row_scales_of_sums(sums, [&](u32 row, u32 sum) {
    return decode_scale(scale_type, scale_of_row(scale_a, row, chunk_of(sum)));
  });
  for_each_tile({{16, 8, k}, words, false, false}, who.active, fragments, [&](const Tile& tile) {
    RowsOfA a;
    IntegerRows rows;
    IntegerColumns columns;
    u32x16 results[kTileColumns];
    load_rows(tile, sparsity, a);
    load_accumulator(tile, results);
    decode_rows(isa::Type::e2m1, a, words, rows);
    decode_columns(isa::Type::e2m1, tile.b, words, columns);
    multiply_fp4_columns(
        rule, sums, rows, columns, scales,
        [&](u32 column, u32 sum) {
          return decode_scale(scale_type, scale_of_column(scale_b, column, chunk_of(sum)));
        },
        results);
    store_accumulator(tile, results);
  });
}

/// `kChunks`: scale factors of a row or column.
template <u32 kChunks>
inline void mma_fp4(isa::Type scale_type, const isa::TensorCore& core, WarpLanes who,
                    Registers<const u32> a, Registers<const u32> b, Registers<const u32> c,
                    Registers<const u32> scale_a, Registers<const u16> select_a,
                    Registers<const u32> scale_b, Registers<const u16> select_b, Registers<u32> d) {
  multiply_fp4(core.scaled_fp4, 64, kChunks, scale_type, who, {a, b, c, d},
               {scale_a[0], select_a[0][0], select_a[1][0]},
               {scale_b[0], select_b[0][0], select_b[1][0]});
}
inline void mma_fp4_pairs(const isa::TensorCore& core, WarpLanes who, Registers<const u32> a,
                          Registers<const u32> b, Registers<const u32> c,
                          Registers<const u32> scale_a, Registers<const u16> select_a,
                          Registers<const u32> scale_b, Registers<const u16> select_b,
                          Registers<u32> d) {
  mma_fp4<2>(isa::Type::ue8m0, core, who, a, b, c, scale_a, select_a, scale_b, select_b, d);
}

// ------------------------------------------------------------------------------------------ f64

template <isa::Rnd kRnd>
inline void mma_f64(isa::MmaShape shape_name, WarpLanes who, Registers<const f64> a,
                    Registers<const f64> b, Registers<const f64> c, Registers<f64> d) {
  const MatrixShape shape = matrix_shape(shape_name);
  const u32 groups = shape.k / kGroup;
  shape.m == 16 ? multiply_wide<kRnd, 2>(groups, who, a, b, c, d)
                : multiply_wide<kRnd, 1>(groups, who, a, b, c, d);
}

}  // namespace heddle::sem
