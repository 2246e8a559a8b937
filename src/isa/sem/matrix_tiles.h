// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the fragments of a warp (matrix_fragments.h) become operands of matrix_product.h, and results
// become fragments. A product of fragments consists of tiles of 16 x 8 or 8 x 8 elements of D. In
// all fragments, lane 4 * g + j of a register has word j of row (for B: column) g of a block of
// eight; a column vector has sixteen rows, two blocks.
#pragma once

#include "isa/groups.h"
#include "isa/sem/lanes.h"
#include "isa/sem/matrix_product.h"

namespace heddle::sem {

struct MatrixShape {
  u32 m, n, k;
};
constexpr MatrixShape matrix_shape(isa::MmaShape shape) {
  constexpr MatrixShape kShapes[] = {{0, 0, 0},    {8, 8, 4},   {8, 8, 16},   {8, 8, 32},
                                     {8, 8, 128},  {16, 8, 4},  {16, 8, 8},   {16, 8, 16},
                                     {16, 8, 32},  {16, 8, 64}, {16, 8, 128}, {16, 8, 256},
                                     {16, 16, 16}, {8, 32, 16}, {32, 8, 16},  {16, 16, 8}};
  return kShapes[static_cast<u32>(shape)];
}

/// The registers of one tile.
struct Tile {
  Registers<const u32> a, b, c;
  Registers<u32> d;
  u32 words;  ///< of a row of A
  bool tall;  ///< 16 rows; otherwise 8
  u32 lanes;  ///< that get results
};

/// Word j of two blocks of rows, `low` and `high`; no `high`: zeros.
inline void load_columns(const u32* low, const u32* high, u32x16 (&columns)[kGroup]) {
  const u32x16 none{};
  const u32x16 a0 = load<u32x16>(low), a1 = load<u32x16>(low + kVectorLanes);
  const u32x16 b0 = high ? load<u32x16>(high) : none,
               b1 = high ? load<u32x16>(high + kVectorLanes) : none;
  const auto even = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  };
  const auto odd = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27,
                                   31);
  };
  const auto lows = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  };
  const auto highs = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                   31);
  };
  const u32x16 a01 = even(a0, a1), a23 = odd(a0, a1), b01 = even(b0, b1), b23 = odd(b0, b1);
  columns[0] = lows(a01, b01), columns[1] = highs(a01, b01);
  columns[2] = lows(a23, b23), columns[3] = highs(a23, b23);
}

/// A register's lanes become `value` where `lanes` has a bit.
inline void store_lanes(u32* to, u32x16 low, u32x16 high, u32 lanes) {
  if (lanes != ~u32{0}) {
    alignas(64) u32 values[kWarpSize];
    store(values, low), store(values + kVectorLanes, high);
    return for_each_lane(lanes, [&](u32 lane) { to[lane] = values[lane]; });
  }
  store(to, low), store(to + kVectorLanes, high);
}

/// The inverse of load_columns().
inline void store_columns(const u32x16 (&columns)[kGroup], u32* low, u32* high, u32 lanes) {
  // Two columns of eight rows, one after the other, become pairs in each row.
  const auto lows = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  };
  const auto highs = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
  };
  const auto first = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  };
  const auto second = [](u32x16 x, u32x16 y) {
    return __builtin_shufflevector(x, y, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30,
                                   31);
  };
  const u32x16 a01 = lows(columns[0], columns[1]), a23 = lows(columns[2], columns[3]);
  store_lanes(low, first(a01, a23), second(a01, a23), lanes);
  if (!high) return;
  const u32x16 b01 = highs(columns[0], columns[1]), b23 = highs(columns[2], columns[3]);
  store_lanes(high, first(b01, b23), second(b01, b23), lanes);
}

inline constexpr u32 kMostWords = 16;  ///< of a row of A or a column of B
/// Each word of sixteen rows of A.
using WordsOfA = u32x16[kMostWords];

inline void load_a(const Tile& tile, u32 words, WordsOfA& to) {
  const u32 blocks = tile.tall ? 2 : 1;
  for (u32 group = 0; group < words / kGroup; ++group) {
    u32x16 columns[kGroup];
    load_columns(tile.a[group * blocks], tile.tall ? tile.a[group * blocks + 1] : nullptr, columns);
    for (u32 j = 0; j < kGroup; ++j) to[group * kGroup + j] = columns[j];
  }
}

/// The metadata of a sparse A (9.7.14.6.1). Of each chunk of four units, two are stored; a unit has
/// 16 or 8 bits. Four bits of metadata are the places of the two. So one element of tf32 is two
/// units, and two elements of four bits are one.
struct SparseA {
  const u32* metadata;  ///< by lane; null: A is dense
  u32 selector;         ///< of the lanes that have it
  u32 unit;             ///< bits
};

/// The metadata of a chunk of a row. `chunks`: in a row.
inline u32 metadata_of(const SparseA& sparsity, u32 row, u32 chunk, u32 chunks) {
  const u32 first = row % 8 * 4, block = row / 8;
  if (sparsity.unit == 16) {
    // 16 bits of each lane belong to the upper block of rows.
    const u32 lane = chunks == 4 ? sparsity.selector : 2 * sparsity.selector + chunk / 4;
    return sparsity.metadata[first + lane] >> (block * 16 + chunk % 4 * 4) & 15;
  }
  const u32 lane = chunks == 8 ? 2 * sparsity.selector + block : block + chunk / 8 * 2;
  return sparsity.metadata[first + lane] >> (chunk % 8 * 4) & 15;
}

/// The rows of A, with its zeros.
struct RowsOfA {
  WordsOfA words;
  bool sparse;
  WordsOfA stored;  ///< if it is sparse: bits that are ones where elements are stored
};

/// Changes the signs of the elements that are stored; `signs`: their bits in a word.
inline void negate(u32 signs, u32 words, RowsOfA& a) {
  for (u32 word = 0; word < words; ++word)
    a.words[word] ^= signs & (a.sparse ? a.stored[word] : ~u32x16{});
}

/// `unit_bits`: of a unit (SparseA); `words`: of a row of the result; `metadata(row, chunk)`: four
/// bits.
template <class Metadata>
inline void expand_a(u32 unit_bits, u32 words, RowsOfA& a, Metadata metadata) {
  alignas(64) u32 packed[kMostWords][kVectorLanes], dense[kMostWords][kVectorLanes] = {},
                                                    stored[kMostWords][kVectorLanes] = {};
  std::memcpy(packed, a.words, sizeof packed);
  const u32 in_word = 32 / unit_bits, chunks = words * in_word / 4;
  const u32 mask = (1u << unit_bits) - 1;
  for (u32 row = 0; row < kVectorLanes; ++row) {
    for (u32 chunk = 0; chunk < chunks; ++chunk) {
      const u32 places = metadata(row, chunk);
      for (u32 i = 0; i < 2; ++i) {
        const u32 from = chunk * 2 + i, to = chunk * 4 + (places >> (2 * i) & 3);
        const u32 unit = packed[from / in_word][row] >> (from % in_word * unit_bits) & mask;
        dense[to / in_word][row] |= unit << (to % in_word * unit_bits);
        stored[to / in_word][row] |= mask << (to % in_word * unit_bits);
      }
    }
  }
  std::memcpy(a.words, dense, sizeof dense);
  std::memcpy(a.stored, stored, sizeof stored);
}

/// A in a fragment, or one whose metadata are.
inline void expand_a(const SparseA& sparsity, u32 words, RowsOfA& a) {
  const u32 chunks = words * (32 / sparsity.unit) / 4;
  expand_a(sparsity.unit, words, a,
           [&](u32 row, u32 chunk) { return metadata_of(sparsity, row, chunk, chunks); });
}

inline void load_rows(const Tile& tile, const SparseA& sparsity, RowsOfA& to) {
  to.sparse = sparsity.metadata != nullptr;
  load_a(tile, to.sparse ? tile.words / 2 : tile.words, to.words);
  if (to.sparse) expand_a(sparsity, tile.words, to);
}

/// C and D of a tile: eight columns of sixteen rows, as f32 or s32.
inline void load_accumulator(const Tile& tile, u32x16 (&c)[kTileColumns]) {
  for (u32 p = 0; p < 2; ++p) {
    u32x16 columns[kGroup];
    load_columns(tile.c[p], tile.tall ? tile.c[2 + p] : nullptr, columns);
    for (u32 j = 0; j < kGroup; ++j) c[2 * j + p] = columns[j];
  }
}
inline void store_accumulator(const Tile& tile, const u32x16 (&d)[kTileColumns]) {
  for (u32 p = 0; p < 2; ++p) {
    const u32x16 columns[kGroup] = {d[p], d[2 + p], d[4 + p], d[6 + p]};
    store_columns(columns, tile.d[p], tile.tall ? tile.d[2 + p] : nullptr, tile.lanes);
  }
}

/// The f16 in the halves of words, as f32.
inline f32x16 half_values(u32x16 words, u32 part) {
  const u32x16 bits = (words >> (part * 16)) & 0xffff, magnitude = bits & 0x7fff;
  const u32x16 value = as<u32x16>(decode_values(kF16Format, bits, 0));
  const u32x16 special = (value & 0x80000000u) | 0x7f800000u | (magnitude & 0x3ff) << 13;
  return as<f32x16>(select(magnitude >= 0x7c00u, special, value));
}
/// The bits of f16 numbers that are given as f32.
inline u32x16 half_bits(f32x16 value) {
  const u32x16 bits = as<u32x16>(value), magnitude = bits & 0x7fffffff;
  constexpr float kScale = 0x1p-112f;  // the exponent of f16 has another bias
  const u32x16 scaled = as<u32x16>(as<f32x16>(magnitude) * kScale) >> 13;
  const u32x16 special = select(magnitude > 0x7f800000u, u32x16{} + 0x7fff, u32x16{} + 0x7c00);
  const u32x16 half = select(magnitude >= 0x7f800000u, special, scaled);
  return select(magnitude > 0x7f800000u, half, half | ((bits >> 16) & 0x8000));
}
inline void load_half_accumulator(const Tile& tile, u32x16 (&c)[kTileColumns]) {
  u32x16 columns[kGroup];
  load_columns(tile.c[0], tile.tall ? tile.c[1] : nullptr, columns);
  for (u32 column = 0; column < kTileColumns; ++column)
    c[column] = as<u32x16>(half_values(columns[column / 2], column % 2));
}
inline void store_half_accumulator(const Tile& tile, const u32x16 (&d)[kTileColumns]) {
  u32x16 columns[kGroup];
  for (u32 j = 0; j < kGroup; ++j)
    columns[j] = half_bits(as<f32x16>(d[2 * j])) | half_bits(as<f32x16>(d[2 * j + 1])) << 16;
  store_columns(columns, tile.d[0], tile.tall ? tile.d[1] : nullptr, tile.lanes);
}

/// The operands of a product of fragments.
struct Fragments {
  Registers<const u32> a, b, c;
  Registers<u32> d;
};
/// What of these operands a product has.
struct FragmentProduct {
  MatrixShape shape;
  u32 words;            ///< of a row of A, with its zeros
  bool half_c, half_d;  ///< two f16 in a register, instead of one f32 or s32
};
/// Calls f(tile) for each tile. Registers of A, B, C and D lie tile after tile, those of the
/// accumulator by columns of tiles.
template <class F>
inline void for_each_tile(const FragmentProduct& p, u32 lanes, const Fragments& of, F f) {
  const bool tall = p.shape.m >= 16;
  const u32 blocks = tall ? 2 : 1, groups = p.words / kGroup;
  const u32 rows = p.shape.m / (8 * blocks), columns = p.shape.n / kTileColumns;
  const u32 each_c = p.half_c ? blocks : 2 * blocks, each_d = p.half_d ? blocks : 2 * blocks;
  for (u32 row = 0; row < rows; ++row) {
    for (u32 column = 0; column < columns; ++column) {
      const u32 tile = column * rows + row;
      f(Tile{of.a + row * groups * blocks, of.b + column * groups, of.c + tile * each_c,
             of.d + tile * each_d, p.words, tall, lanes});
    }
  }
}

}  // namespace heddle::sem
