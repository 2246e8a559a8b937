// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element of a matrix lies in one place of the fragment, or in as many as there are copies;
// and the formulas of the manual's sections, written out for some of its shapes.
#include "isa/sem/matrix_fragments.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::sem {
namespace {

using enum MatrixOperand;

struct Row {
  u32 m, n, k;
  u32 bits;                   // of an element of A and B
  u32 a, b, accumulator;      // registers in the manual's tables
  u32 accumulator_bits = 32;  // of an element
};

// 9.7.14.5 and, with half of K, A of 9.7.14.6.
constexpr Row kMma[] = {
    {8, 8, 4, 64, 1, 1, 2, 64},   {8, 8, 16, 8, 1, 1, 2},      {8, 8, 32, 4, 1, 1, 2},
    {8, 8, 128, 1, 1, 1, 2},      {16, 8, 4, 32, 2, 1, 4},     {16, 8, 4, 64, 2, 1, 4, 64},
    {16, 8, 8, 16, 2, 1, 4},      {16, 8, 8, 16, 2, 1, 2, 16}, {16, 8, 8, 32, 4, 2, 4},
    {16, 8, 8, 64, 4, 2, 4, 64},  {16, 8, 16, 16, 4, 2, 4},    {16, 8, 16, 16, 4, 2, 2, 16},
    {16, 8, 16, 64, 8, 4, 4, 64}, {16, 8, 16, 8, 2, 1, 4},     {16, 8, 32, 8, 4, 2, 4},
    {16, 8, 32, 8, 4, 2, 2, 16},  {16, 8, 32, 4, 2, 1, 4},     {16, 8, 64, 4, 4, 2, 4},
    {16, 8, 128, 1, 2, 1, 4},     {16, 8, 256, 1, 4, 2, 4},
};
// 9.7.14.4.1.
constexpr Row kWmma[] = {
    {16, 16, 16, 16, 8, 8, 8},    {16, 16, 16, 16, 8, 8, 4, 16}, {8, 32, 16, 16, 8, 8, 8},
    {8, 32, 16, 16, 8, 8, 4, 16}, {32, 8, 16, 16, 8, 8, 8},      {32, 8, 16, 16, 8, 8, 4, 16},
    {16, 16, 16, 8, 2, 2, 8},     {8, 32, 16, 8, 1, 4, 8},       {32, 8, 16, 8, 4, 1, 8},
    {16, 16, 8, 32, 4, 4, 8},     {8, 8, 4, 64, 1, 1, 2, 64},    {8, 8, 32, 4, 1, 1, 2},
    {8, 8, 128, 1, 1, 1, 2},
};

/// How often each element occurs in `registers` registers of 32 lanes; none where an element lies
/// outside the matrix.
std::vector<u32> occurrences(const Fragment& f, u32 registers) {
  std::vector<u32> count(rows_of(f) * columns_of(f));
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 index = 0; index < registers; ++index)
      for (u32 part = 0; part < elements_of_register(f); ++part) {
        const MatrixElement at = element_of(f, lane, index, part);
        if (at.row >= rows_of(f) || at.column >= columns_of(f)) return {};
        ++count[at.row * columns_of(f) + at.column];
      }
  return count;
}

void expect_equal_shares(const Fragment& f, u32 registers) {
  const u32 copies = registers / distinct_registers(f);
  EXPECT_EQ(occurrences(f, registers), std::vector<u32>(rows_of(f) * columns_of(f), copies))
      << "m" << f.m << "n" << f.n << "k" << f.k << " of " << f.bits << " bits, operand "
      << static_cast<u32>(f.operand);
}

void expect_equal_shares(const Row& row) {
  expect_equal_shares(Fragment{a, row.m, row.n, row.k, row.bits}, row.a);
  expect_equal_shares(Fragment{b, row.m, row.n, row.k, row.bits}, row.b);
  expect_equal_shares(Fragment{accumulator, row.m, row.n, row.k, row.accumulator_bits},
                      row.accumulator);
}

TEST(MatrixFragments, EveryElementOfMmaHasOnePlace) {
  for (const Row& row : kMma) {
    expect_equal_shares(row);
    EXPECT_EQ(distinct_registers({a, row.m, row.n, row.k, row.bits}), row.a);
    EXPECT_EQ(distinct_registers({b, row.m, row.n, row.k, row.bits}), row.b);
  }
}

TEST(MatrixFragments, EveryElementOfWmmaHasAsManyPlaces) {
  for (const Row& row : kWmma) expect_equal_shares(row);
  EXPECT_EQ(distinct_registers({a, 16, 16, 16, 16}), 4u);  // and a copy
  EXPECT_EQ(distinct_registers({a, 8, 32, 16, 16}), 2u);
  EXPECT_EQ(distinct_registers({b, 8, 32, 16, 16}), 8u);
}

/// The formulas of a section of the manual, for element i of the fragment.
struct Section {
  Fragment fragment;
  MatrixElement (*formula)(u32 group, u32 in_group, u32 i);
};
constexpr u32 kTo4 = 3, kTo8 = 7, kTo32 = 31;  // masks of i

constexpr Section kSections[] = {
    // 9.7.14.5.4
    {{a, 8, 8, 32, 4}, [](u32 g, u32 t, u32 i) { return MatrixElement{g, t * 8 + i}; }},
    // 9.7.14.5.7
    {{a, 16, 8, 8, 16},
     [](u32 g, u32 t, u32 i) { return MatrixElement{i < 2 ? g : g + 8, t * 2 + (i & 1)}; }},
    {{a, 16, 8, 8, 32},
     [](u32 g, u32 t, u32 i) { return MatrixElement{i % 2 ? g + 8 : g, i < 2 ? t : t + 4}; }},
    {{b, 16, 8, 8, 32}, [](u32 g, u32 t, u32 i) { return MatrixElement{i == 0 ? t : t + 4, g}; }},
    {{accumulator, 16, 8, 8, 16},
     [](u32 g, u32 t, u32 i) { return MatrixElement{i < 2 ? g : g + 8, t * 2 + (i & 1)}; }},
    // 9.7.14.5.8
    {{a, 16, 8, 16, 16},
     [](u32 g, u32 t, u32 i) {
       return MatrixElement{i < 2 || (4 <= i && i < 6) ? g : g + 8,
                            t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
     }},
    {{a, 16, 8, 16, 64},
     [](u32 g, u32 t, u32 i) {
       return i % 2 == 0 ? MatrixElement{g, i * 2 + t} : MatrixElement{g + 8, i * 2 - 2 + t};
     }},
    {{b, 16, 8, 16, 16},
     [](u32 g, u32 t, u32 i) { return MatrixElement{t * 2 + (i & 1) + (i < 2 ? 0 : 8), g}; }},
    {{b, 16, 8, 16, 64}, [](u32 g, u32 t, u32 i) { return MatrixElement{t + i * 4, g}; }},
    {{accumulator, 16, 8, 16, 32},
     [](u32 g, u32 t, u32 i) { return MatrixElement{i < 2 ? g : g + 8, t * 2 + (i & 1)}; }},
    // 9.7.14.5.10
    {{a, 16, 8, 32, 8},
     [](u32 g, u32 t, u32 i) {
       return MatrixElement{i < 4 || (8 <= i && i < 12) ? g : g + 8,
                            t * 4 + (i & kTo4) + (i < 8 ? 0 : 16)};
     }},
    {{b, 16, 8, 32, 8},
     [](u32 g, u32 t, u32 i) { return MatrixElement{t * 4 + (i & kTo4) + (i < 4 ? 0 : 16), g}; }},
    // 9.7.14.5.11
    {{a, 16, 8, 64, 4},
     [](u32 g, u32 t, u32 i) {
       return MatrixElement{i < 8 || (16 <= i && i < 24) ? g : g + 8,
                            t * 8 + (i & kTo8) + (i < 16 ? 0 : 32)};
     }},
    // 9.7.14.5.13
    {{a, 16, 8, 256, 1},
     [](u32 g, u32 t, u32 i) {
       return MatrixElement{i < 32 || (64 <= i && i < 96) ? g : g + 8,
                            t * 32 + (i & kTo32) + (i < 64 ? 0 : 128)};
     }},
    {{b, 16, 8, 256, 1},
     [](u32 g, u32 t, u32 i) {
       return MatrixElement{t * 32 + (i & kTo32) + (i < 32 ? 0 : 128), g};
     }},
};

TEST(MatrixFragments, AsInTheSectionsOfTheManual) {
  for (const Section& section : kSections) {
    const Fragment& f = section.fragment;
    for (u32 lane = 0; lane < 32; ++lane)
      for (u32 index = 0; index < distinct_registers(f); ++index)
        for (u32 part = 0; part < elements_of_register(f); ++part) {
          const u32 i = index * elements_of_register(f) + part;
          ASSERT_EQ(element_of(f, lane, index, part), section.formula(lane >> 2, lane % 4, i))
              << "m" << f.m << "n" << f.n << "k" << f.k << " of " << f.bits << " bits, lane "
              << lane << ", element " << i;
        }
  }
}

/// A, B and the accumulator of m16n16k16 are those of two m16n8k16, one after the other; m32n8k16
/// and m8n32k16 likewise.
TEST(MatrixFragments, WmmaIsMmaTileAfterTile) {
  for (u32 lane = 0; lane < 32; ++lane) {
    for (u32 index = 0; index < 4; ++index) {
      const MatrixElement c = element_of({accumulator, 16, 8, 16, 32}, lane, index, 0);
      const auto in = [&](u32 m, u32 n) {
        return element_of({accumulator, m, n, 16, 32}, lane, index + 4, 0);
      };
      EXPECT_EQ(in(16, 16), (MatrixElement{c.row, c.column + 8}));
      EXPECT_EQ(in(32, 8), (MatrixElement{c.row + 16, c.column}));
      const MatrixElement x = element_of({a, 16, 8, 16, 16}, lane, index, 1);
      EXPECT_EQ(element_of({a, 16, 16, 16, 16}, lane, index, 1), x);
      EXPECT_EQ(element_of({a, 16, 16, 16, 16}, lane, index + 4, 1), x);  // the copy
      EXPECT_EQ(element_of({a, 32, 8, 16, 16}, lane, index + 4, 1),
                (MatrixElement{x.row + 16, x.column}));
    }
    for (u32 index = 0; index < 2; ++index) {
      const MatrixElement y = element_of({b, 16, 8, 16, 16}, lane, index, 1);
      EXPECT_EQ(element_of({b, 16, 16, 16, 16}, lane, index + 2, 1),
                (MatrixElement{y.row, y.column + 8}));
      EXPECT_EQ(element_of({b, 8, 32, 16, 16}, lane, index + 6, 1),
                (MatrixElement{y.row, y.column + 24}));
    }
  }
}

TEST(MatrixFragments, ElementsAreSumsOfLaneAndPlace) {
  for (const Row& row : kWmma) {
    for (const MatrixOperand operand : {a, b, accumulator}) {
      const u32 bits = operand == accumulator ? row.accumulator_bits : row.bits;
      const Fragment f{operand, row.m, row.n, row.k, bits};
      for (u32 lane = 0; lane < 32; ++lane) {
        const MatrixElement apart = element_of(f, lane, 0, 0);
        for (u32 index = 0; index < 8; ++index)
          for (u32 part = 0; part < elements_of_register(f); ++part) {
            const MatrixElement first = element_of(f, 0, index, part);
            ASSERT_EQ(element_of(f, lane, index, part),
                      (MatrixElement{first.row + apart.row, first.column + apart.column}));
          }
      }
    }
  }
}

/// Of mma.m8n8k4 with .f16: the places of (product, row, column).
template <class At>
std::vector<u32> occurrences884(u32 rows, u32 columns, u32 elements, At at) {
  std::vector<u32> count(4 * rows * columns);
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 i = 0; i < elements; ++i) {
      const MatrixElement e = at(lane, i);
      ++count[(mma884_product(lane) * rows + e.row) * columns + e.column];
    }
  return count;
}

TEST(MatrixFragments, Mma884OfF16) {
  for (const bool row_major : {false, true}) {
    const std::vector<u32> once(4 * 8 * 4, 1);
    EXPECT_EQ(occurrences884(8, 4, 4, [&](u32 l, u32 i) { return mma884_a(row_major, l, i); }),
              once);
    EXPECT_EQ(occurrences884(4, 8, 4, [&](u32 l, u32 i) { return mma884_b(row_major, l, i); }),
              once);
  }
  for (const u32 bits : {16u, 32u})
    EXPECT_EQ(occurrences884(8, 8, 8, [&](u32 l, u32 i) { return mma884_accumulator(bits, l, i); }),
              std::vector<u32>(4 * 8 * 8, 1));
  // Lane 22 belongs to product 1 and to its high group.
  EXPECT_EQ(mma884_product(22), 1u);
  EXPECT_EQ(mma884_a(true, 22, 3), (MatrixElement{6, 3}));
  EXPECT_EQ(mma884_a(false, 22, 3), (MatrixElement{7, 2}));
  EXPECT_EQ(mma884_b(true, 22, 3), (MatrixElement{2, 7}));
  EXPECT_EQ(mma884_b(false, 22, 3), (MatrixElement{3, 6}));
  EXPECT_EQ(mma884_accumulator(16, 22, 5), (MatrixElement{6, 5}));
  EXPECT_EQ(mma884_accumulator(32, 22, 6), (MatrixElement{6, 6}));
}

}  // namespace
}  // namespace heddle::sem
