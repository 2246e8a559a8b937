// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpositions and packed rows of matrices; tests/kernels/matrix_move_test.cpp has all shapes.
#include "isa/sem/matrix_move.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::sem {
namespace {

using Lanes = std::array<u32, kWarpSize>;

Lanes transposed(Lanes lanes, WarpLanes who = {~0u, ~0u}) {
  movmatrix(who, lanes.data(), lanes.data());
  return lanes;
}

TEST(MatrixMove, TransposesInPlace) {
  Lanes lanes{};
  for (u32 i = 0; i < kWarpSize; ++i) lanes[i] = (2 * i + 1) << 16 | 2 * i;  // element number
  const Lanes result = transposed(lanes);
  EXPECT_EQ(result[0], 8u << 16);         // elements (0, 0) and (1, 0)
  EXPECT_EQ(result[5], 25u << 16 | 17u);  // row 1 of the result: column 1, rows 2 and 3
  EXPECT_EQ(result[31], 63u << 16 | 55u);
  EXPECT_EQ(transposed(result), lanes);
}

TEST(MatrixMove, MissingLanesSupplyZerosAndKeepTheirs) {
  Lanes lanes{};
  lanes.fill(0x00010001);
  const Lanes result = transposed(lanes, {0xf, 0xf});  // row 0
  EXPECT_EQ(result[0], 1u);                            // rows 0 and 1 of column 0
  EXPECT_EQ(result[1], 0u);
  EXPECT_EQ(result[4], 0x00010001u);
}

TEST(MatrixMove, PackedRows) {
  u8 row[kRowBytes] = {0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0xff}, elements[kRowBytes];
  unpack_row(4, row, elements);
  EXPECT_EQ(elements[0], 1);
  EXPECT_EQ(elements[14], 15);
  EXPECT_EQ(elements[15], 0);
  unpack_row(6, row, elements);
  EXPECT_EQ(elements[0], 0x21);
  EXPECT_EQ(elements[1], 0x0c);   // bits 6 to 11 of 0x4321
  EXPECT_EQ(elements[10], 0x30);  // bits 60 to 65
}

TEST(MatrixMove, StoresUndoLoads) {
  u8 rows[kMostMatrixBytes], registers[kMostMatrixBytes], stored[kMostMatrixBytes];
  for (u32 i = 0; i < kMostMatrixBytes; ++i) rows[i] = static_cast<u8>(i * 7 + i / 256);
  for (const MatrixOrder order : {MatrixOrder::rows, MatrixOrder::columns_b16}) {
    registers_of_rows(order, 4, rows, registers);
    rows_of_registers(order, 4, registers, stored);
    EXPECT_EQ(std::to_array(stored), std::to_array(rows));
  }
}

}  // namespace
}  // namespace heddle::sem
