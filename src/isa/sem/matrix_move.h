// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// movmatrix, and what ldmatrix and stmatrix do between memory and registers (PTX ISA 9.7.14.5.15 to
// 9.7.14.5.17). An instruction moves rows of 16 bytes, of eight rows in each register. Without
// `.trans`, the 32 lanes of a register are its eight rows, one behind the other.
#pragma once

#include "isa/groups.h"
#include "isa/sem/lanes.h"

namespace heddle::sem {

/// The lane, and the half of its register, that holds element (row, column) of an 8x8 matrix of
/// b16.
struct HalfOfMatrix {
  u32 lane, half;
};
constexpr HalfOfMatrix half_of_matrix(u32 row, u32 column) {
  return {row * 4 + column / 2, column % 2};
}

/// The half that lane `lane` gets from a transposition as half `half` of its register.
constexpr HalfOfMatrix transposed_half(u32 lane, u32 half) {
  return half_of_matrix(lane % 4 * 2 + half, lane / 4);
}

/// Elements of lanes that do not take part are 0.
constexpr void movmatrix(WarpLanes who, const u32* a, u32* d) {
  u32 result[kWarpSize] = {};
  for_each_lane(who.active, [&](u32 lane) {
    for (u32 half = 0; half < 2; ++half) {
      const HalfOfMatrix from = transposed_half(lane, half);
      if ((who.members >> from.lane & 1) != 0)
        result[lane] |= (a[from.lane] >> from.half * 16 & 0xffff) << half * 16;
    }
  });
  for_each_lane(who.active, [&](u32 lane) { d[lane] = result[lane]; });
}

// --- between memory and registers ---

inline constexpr u32 kRowBytes = 16, kRowsOfRegister = 8, kMostMatrixBytes = 32 * kRowBytes;

/// How the rows lie in the lanes of registers.
enum class MatrixOrder : u8 {
  rows,         ///< as they are
  columns_b16,  ///< as columns of 8x8 matrices of 16-bit elements
  columns_b8,   ///< as columns of 16x16 (ldmatrix) or 16x8 matrices (stmatrix) of 8-bit elements
};

/// to[column][row] = from[row][column], of elements of kBytes bytes.
template <u32 kBytes, u32 kRows, u32 kColumns>
constexpr void transpose(const u8* from, u8* to) {
  for (u32 row = 0; row < kRows; ++row)
    for (u32 column = 0; column < kColumns; ++column)
      for (u32 byte = 0; byte < kBytes; ++byte)
        to[(column * kRows + row) * kBytes + byte] =
            from[(row * kColumns + column) * kBytes + byte];
}

constexpr u32 kRegisterBytes = kWarpSize * 4;

/// ldmatrix: the lanes of `count` registers from eight times as many rows.
constexpr void registers_of_rows(MatrixOrder order, u32 count, const u8* rows, u8* registers) {
  const u32 bytes = count * kRegisterBytes;
  switch (order) {
    case MatrixOrder::rows:
      for (u32 i = 0; i < bytes; ++i) registers[i] = rows[i];
      return;
    case MatrixOrder::columns_b16:
      for (u32 at = 0; at < bytes; at += kRegisterBytes)
        transpose<2, 8, 8>(rows + at, registers + at);
      return;
    case MatrixOrder::columns_b8:  // two registers to a matrix: its columns 0 to 7 and 8 to 15
      for (u32 at = 0; at < bytes; at += 2 * kRegisterBytes)
        transpose<1, 16, 16>(rows + at, registers + at);
      return;
  }
}

/// stmatrix: the other way. A matrix of 16x8 lies in its register as mma's accumulator of m16n8.
constexpr void rows_of_registers(MatrixOrder order, u32 count, const u8* registers, u8* rows) {
  if (order != MatrixOrder::columns_b8) return registers_of_rows(order, count, registers, rows);
  for (u32 at = 0; at < count * kRegisterBytes; at += kRegisterBytes)
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      for (u32 i = 0; i < 4; ++i) {
        const u32 row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        rows[at + column * kRowBytes + row] = registers[at + lane * 4 + i];
      }
}

/// Element `number` of 16 elements of `bits` bits, one behind the other (`.b6x16_p32`,
/// `.b4x16_p64`).
constexpr u8 packed_element(u32 bits, const u8* packed, u32 number) {
  const u32 at = number * bits / 8;
  const u32 pair = packed[at] | u32{packed[at + 1]} << 8;
  return static_cast<u8>(pair >> number * bits % 8 & ((1u << bits) - 1));
}
/// All of them, each into the low bits of a byte.
constexpr void unpack_row(u32 bits, const u8* packed, u8* elements) {
  for (u32 i = 0; i < kRowBytes; ++i) elements[i] = packed_element(bits, packed, i);
}

}  // namespace heddle::sem
