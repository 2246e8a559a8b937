// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/sem/tensor_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace heddle::sem {
namespace {

/// Every cell of the area that a shape covers belongs to one register of one lane.
template <TmemShape kShape>
void expect_each_cell_once(u32 least) {
  for (u32 registers = least; registers <= 128; registers *= 2) {
    std::set<std::pair<u32, u32>> seen;
    const u32 halves = kShape == TmemShape::_16x32bx2 ? 2 : 1;
    const u32 columns = tensor_columns(kShape, registers);
    for (u32 lane = 0; lane < 32; ++lane) {
      for (u32 i = 0; i < registers; ++i) {
        const TensorCell cell = tensor_cell<kShape>(lane, i);
        EXPECT_LT(cell.row, tensor_rows(kShape));
        EXPECT_LT(cell.column, columns);
        seen.emplace(cell.row, cell.column + (halves == 2 ? lane / 16 * columns : 0));
      }
    }
    EXPECT_EQ(seen.size(), 32 * registers) << registers;
    EXPECT_EQ(seen.size(), tensor_rows(kShape) * columns * halves) << registers;
  }
}

TEST(TensorFragments, EachCellIsInOneRegister) {
  expect_each_cell_once<TmemShape::_32x32b>(1);
  expect_each_cell_once<TmemShape::_16x64b>(1);
  expect_each_cell_once<TmemShape::_16x128b>(2);
  expect_each_cell_once<TmemShape::_16x256b>(4);
  expect_each_cell_once<TmemShape::_16x32bx2>(1);
}

TEST(TensorFragments, LastRegisterOfALane) {
  EXPECT_EQ((tensor_cell<TmemShape::_32x32b>(31, 7)), (TensorCell{31, 7}));
  EXPECT_EQ((tensor_cell<TmemShape::_16x64b>(1, 3)), (TensorCell{8, 6}));
  EXPECT_EQ((tensor_cell<TmemShape::_16x64b>(2, 0)), (TensorCell{0, 1}));
  EXPECT_EQ((tensor_cell<TmemShape::_16x128b>(31, 3)), (TensorCell{15, 7}));
  EXPECT_EQ((tensor_cell<TmemShape::_16x256b>(31, 7)), (TensorCell{15, 15}));
  EXPECT_EQ((tensor_cell<TmemShape::_16x32bx2>(17, 3)), (TensorCell{1, 3}));
}

struct Reduction {
  Type type;
  TmemReduction op;
  Flag abs, nan;
  std::vector<u32> values;
  u32 result;
};

TEST(TensorReduction, Results) {
  constexpr u32 kOne = 0x3f800000, kMinusTwo = 0xc0000000, kTwo = 0x40000000, kNan = 0x7fc00000;
  const Reduction cases[] = {
      {Type::u32, TmemReduction::max, Flag::off, Flag::off, {1, ~0u, 2}, ~0u},
      {Type::s32, TmemReduction::max, Flag::off, Flag::off, {1, ~0u, 2}, 2},
      {Type::s32, TmemReduction::min, Flag::off, Flag::off, {1, ~0u, 2}, ~0u},
      {Type::f32, TmemReduction::max, Flag::off, Flag::off, {kOne, kMinusTwo, kNan}, kOne},
      {Type::f32, TmemReduction::max, Flag::on, Flag::off, {kOne, kMinusTwo}, kTwo},
      {Type::f32, TmemReduction::min, Flag::off, Flag::on, {kOne, kNan}, 0x7fffffff},
  };
  for (const Reduction& one : cases) {
    EXPECT_EQ(tensor_reduce(one.type, one.op, one.abs, one.nan, static_cast<u32>(one.values.size()),
                            [&](u32 i) { return one.values[i]; }),
              one.result);
  }
}

TEST(TensorCopies, RowsOfQuarters) {
  const auto expect = [](TmemCopy shape, TmemMulticast multicast, u32 row, u32 lane, u32 quarters) {
    const TensorCopyRow to = tensor_copy_row(shape, multicast, row);
    EXPECT_EQ(to.lane, lane);
    EXPECT_EQ(to.quarters, quarters);
  };
  expect(TmemCopy::_128x256b, TmemMulticast::none, 100, 4, 0b1000);
  expect(TmemCopy::_4x256b, TmemMulticast::none, 2, 0, 0b0100);
  expect(TmemCopy::_64x128b, TmemMulticast::warpx2_02_13, 3, 3, 0b0101);
  expect(TmemCopy::_64x128b, TmemMulticast::warpx2_02_13, 40, 8, 0b1010);
  expect(TmemCopy::_64x128b, TmemMulticast::warpx2_01_23, 3, 3, 0b0011);
  expect(TmemCopy::_64x128b, TmemMulticast::warpx2_01_23, 40, 8, 0b1100);
  expect(TmemCopy::_32x128b, TmemMulticast::warpx4, 31, 31, 0b1111);
}

TEST(TensorCopies, Decompression) {
  u8 part[16] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f};
  for (u32 i = 0; i < 16; ++i)
    EXPECT_EQ(tensor_copy_byte(TmemSource::b4x16_p64, part, i), (i + 1) % 16 * 4) << i;
  u8 packed[16] = {};
  for (u32 i = 0; i < 16; ++i) {
    const u32 value = 4 * i + 1;
    for (u32 bit = 0; bit < 6; ++bit) {
      if (value >> bit & 1) packed[(6 * i + bit) / 8] |= static_cast<u8>(1u << (6 * i + bit) % 8);
    }
  }
  packed[12] = packed[15] = 0xff;  // padding
  for (u32 i = 0; i < 16; ++i) {
    EXPECT_EQ(tensor_copy_byte(TmemSource::b6x16_p32, packed, i), 4 * i + 1) << i;
    EXPECT_EQ(tensor_copy_byte(TmemSource::none, packed, i), packed[i]) << i;
  }
}

}  // namespace
}  // namespace heddle::sem
