// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices whose sums are exact: of integers, and of e2m1, which is an integer of half
// units. Elements are decoded to 16 bits, two to a lane, and two products are added at once.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <iterator>

#include "isa/sem/matrix_tiles.h"
#include "isa/types.h"

namespace heddle::sem {

/// How elements lie in a word.
constexpr u32 bits_of_element(isa::Type type) {
  return type == isa::Type::s8 || type == isa::Type::u8 ? 8 : 4;
}
constexpr u32 elements_in_word(isa::Type type) { return 32 / bits_of_element(type); }
/// Pairs of a word: elements p and p + pairs_in_word().
constexpr u32 pairs_in_word(isa::Type type) { return elements_in_word(type) / 2; }

inline s16x32 decode_pair(isa::Type type, u32x16 words, u32 pair) {
  const u32 bits = bits_of_element(type);
  const u16x32 high = as<u16x32>(words) << static_cast<u16>(16 - bits - pair * bits);
  const u16 shift = static_cast<u16>(16 - bits);
  switch (type) {
    case isa::Type::s8:
    case isa::Type::s4:
      return as<s16x32>(high) >> static_cast<s16>(shift);
    case isa::Type::e2m1: {
      // 0, 1, 2, 3, 4, 6, 8 and 12 half units.
      const s16x32 sign = as<s16x32>(high) >> 15, code = as<s16x32>(high >> shift) & 7;
      const s16x32 magnitude =
          code + max(code - 4, s16x32{}) + (code == 7 ? s16x32{} + s16{2} : s16x32{});
      return (magnitude ^ sign) - sign;
    }
    default:
      return as<s16x32>(high >> shift);
  }
}

/// Sixteen rows of A.
struct IntegerRows {
  s16x32 pairs[kMostWords * 4];  ///< pair p of word w: w * pairs_in_word + p
};
/// Eight columns of B, pair by pair, in the lanes of fragments.
struct IntegerColumns {
  alignas(64) u32 pairs[kMostWords][kWarpSize];  ///< pair p of group g: g * pairs_in_word + p
};

inline void decode_rows(isa::Type type, const RowsOfA& a, u32 words, IntegerRows& to) {
  const u32 pairs = pairs_in_word(type);
  for (u32 word = 0; word < words; ++word) {
    for (u32 pair = 0; pair < pairs; ++pair)
      to.pairs[word * pairs + pair] = decode_pair(type, a.words[word], pair);
  }
}
/// `words`: of a column.
inline void decode_columns(isa::Type type, Registers<const u32> b, u32 words, IntegerColumns& to) {
  const u32 pairs = pairs_in_word(type);
  for (u32 group = 0; group < words / kGroup; ++group) {
    for (u32 pair = 0; pair < pairs; ++pair) {
      for (u32 lane = 0; lane < kWarpSize; lane += kVectorLanes)
        store(to.pairs[group * pairs + pair] + lane,
              decode_pair(type, load<u32x16>(b[group] + lane), pair));
    }
  }
}

/// The sum of the two products of each lane.
inline s32x16 multiply_pairs(s16x32 a, s16x32 b) {
#if defined(__AVX512BW__)
  return as<s32x16>(_mm512_madd_epi16(as<__m512i>(a), as<__m512i>(b)));
#elif defined(__SSE2__)
#ifdef __AVX2__
  using Part = __m256i;
  constexpr auto multiply = [](Part x, Part y) { return _mm256_madd_epi16(x, y); };
#else
  using Part = __m128i;
  constexpr auto multiply = [](Part x, Part y) { return _mm_madd_epi16(x, y); };
#endif
  Part of_a[sizeof a / sizeof(Part)], of_b[std::size(of_a)];
  std::memcpy(of_a, &a, sizeof a), std::memcpy(of_b, &b, sizeof b);
  for (u32 i = 0; i < std::size(of_a); ++i) of_a[i] = multiply(of_a[i], of_b[i]);
  return load<s32x16>(of_a);
#else
  const s32x16 words_of_a = as<s32x16>(a), words_of_b = as<s32x16>(b);
  return (words_of_a >> 16) * (words_of_b >> 16) +
         (words_of_a << 16 >> 16) * (words_of_b << 16 >> 16);
#endif
}

/// The sum of the products of `kWords` words of each row and a column, from `first` on.
template <u32 kPairs, u32 kWords>
[[gnu::always_inline]] inline s32x16 exact_sum(const IntegerRows& rows,
                                               const IntegerColumns& columns, u32 column,
                                               u32 first) {
  s32x16 sums[2] = {};
#pragma clang loop unroll(full)
  for (u32 i = 0; i < kWords; ++i) {
    const u32 word = first + i;
    for (u32 pair = 0; pair < kPairs; ++pair) {
      const u32 b = columns.pairs[word / kGroup * kPairs + pair][column * kGroup + word % kGroup];
      sums[pair % 2] += multiply_pairs(rows.pairs[word * kPairs + pair], as<s16x32>(u32x16{} + b));
    }
  }
  return sums[0] + sums[1];
}

/// c + sum, modulo 2^32 or clamped.
inline u32x16 add_sum(u32x16 c, s32x16 sum, bool saturates) {
  const u32x16 total = c + as<u32x16>(sum);
  if (!saturates) return total;
  const u32x16 overflow = (c ^ total) & (as<u32x16>(sum) ^ total);
  const u32x16 limit = (c >> 31) + 0x7fffffffu;
  return as<s32x16>(overflow) < 0 ? limit : total;
}

template <u32 kPairs, u32 kWords>
inline void multiply_integer_columns(const IntegerRows& rows, const IntegerColumns& columns,
                                     bool saturates, u32x16 (&sums)[kTileColumns]) {
#pragma clang loop unroll(disable)
  for (u32 column = 0; column < kTileColumns; ++column) {
    sums[column] =
        add_sum(sums[column], exact_sum<kPairs, kWords>(rows, columns, column, 0), saturates);
  }
}
/// Adds the products of rows and eight columns of integers to `sums`. `words`: of a row; 4, 8
/// or 16.
inline void multiply_integer_columns(isa::Type type, const IntegerRows& rows,
                                     const IntegerColumns& columns, u32 words, bool saturates,
                                     u32x16 (&sums)[kTileColumns]) {
  const auto multiply = [&]<u32 kPairs>() {
    if (words == 4) return multiply_integer_columns<kPairs, 4>(rows, columns, saturates, sums);
    if (words == 8) return multiply_integer_columns<kPairs, 8>(rows, columns, saturates, sums);
    multiply_integer_columns<kPairs, 16>(rows, columns, saturates, sums);
  };
  bits_of_element(type) == 8 ? multiply.template operator()<2>()
                             : multiply.template operator()<4>();
}
inline void multiply_tile(isa::Type type, const IntegerRows& rows, const IntegerColumns& columns,
                          const Tile& tile, bool has_c, bool saturates) {
  u32x16 sums[kTileColumns] = {};
  if (has_c) load_accumulator(tile, sums);
  multiply_integer_columns(type, rows, columns, tile.words, saturates, sums);
  store_accumulator(tile, sums);
}

}  // namespace heddle::sem
