// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element of a matrix a register of a lane holds (PTX ISA 9.7.14.4.1, 9.7.14.5.1 to .13,
// 9.7.14.6.2). The fragments of mma in all shapes follow from one rule: a matrix is cut into blocks
// of 8 rows (of A and of the accumulator) or 8 columns (of B), four lanes share each of them, and a
// register of 32 bits holds elements that are neighbours along K. The fragments of wmma are those
// of mma, tile after tile; the manual leaves them open.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

/// The matrix of an operand: a multiplicand, or the accumulator C or D.
enum class MatrixOperand : u8 { a, b, accumulator };

/// The matrix whose elements a warp holds in registers. For mma.sp, the A of 2 * k columns is
/// stored as one of k columns.
struct Fragment {
  MatrixOperand operand;
  u32 m, n, k;
  /// Of an element: 1, 4, 8, 16, 32 or 64. Elements of 6 and 4 bits that are held in 8 bits each
  /// count as 8.
  u32 bits;
};

struct MatrixElement {
  u32 row, column;
  constexpr bool operator==(const MatrixElement&) const = default;
};

constexpr u32 rows_of(const Fragment& f) { return f.operand == MatrixOperand::b ? f.k : f.m; }
constexpr u32 columns_of(const Fragment& f) { return f.operand == MatrixOperand::a ? f.k : f.n; }

/// Elements in a register: an f64 fills one of 64 bits, a register of anything else has 32.
constexpr u32 elements_of_register(const Fragment& f) { return f.bits < 32 ? 32 / f.bits : 1; }

/// Registers of a lane that hold each element of the matrix once. `wmma` fragments of `.f16` have
/// eight registers in any case; register i + distinct_registers() is a copy of register i.
constexpr u32 distinct_registers(const Fragment& f) {
  return rows_of(f) * columns_of(f) / (32 * elements_of_register(f));
}

/// The element in place `part`, counted from the low bits, of register `index` of `lane`. A and the
/// accumulator consist of tiles of at most 16 rows, B and the accumulator of tiles of 8 columns;
/// the registers of a tile lie together. So the registers of a wmma fragment are those of one
/// mma.m16n8k* after the other. Row and column are sums of what the lane and what the place in it
/// contribute. Not for mma.m8n8k4 with .f16, see below.
constexpr MatrixElement element_of(const Fragment& f, u32 lane, u32 index, u32 part) {
  const u32 group = lane / 4, in_group = lane % 4;
  const u32 row_blocks = f.m < 16 ? 1 : 2;  // of 8 rows, in a tile
  const u32 place = index % distinct_registers(f);
  if (f.operand == MatrixOperand::accumulator) {
    const u32 i = place * elements_of_register(f) + part;
    const u32 block = i / 2, tile = block / row_blocks, row_tiles = f.m / (8 * row_blocks);
    return {(tile % row_tiles * row_blocks + block % row_blocks) * 8 + group,
            tile / row_tiles * 8 + in_group * 2 + i % 2};
  }
  const u32 elements = elements_of_register(f);
  const u32 k_blocks = f.k / (4 * elements);
  const u32 tile_registers = k_blocks * (f.operand == MatrixOperand::a ? row_blocks : 1);
  const u32 tile = place / tile_registers, in_tile = place % tile_registers;
  if (f.operand == MatrixOperand::a)
    return {(tile * row_blocks + in_tile % row_blocks) * 8 + group,
            (in_tile / row_blocks * 4 + in_group) * elements + part};
  return {(in_tile * 4 + in_group) * elements + part, tile * 8 + group};
}

// mma.m8n8k4 with .f16 (9.7.14.5.1) computes four products. Lanes 4 * p to 4 * p + 3 and the lanes
// 16 above them hold the fragments of product p. `i` is the number of the element in the lane's
// fragment, as in the manual: the low half of register 0 holds element 0, its high half element 1.

constexpr u32 mma884_product(u32 lane) { return lane % 16 / 4; }

constexpr MatrixElement mma884_a(bool row_major, u32 lane, u32 i) {
  const u32 half = lane / 16 * 4;
  return row_major ? MatrixElement{lane % 4 + half, i} : MatrixElement{i + half, lane % 4};
}
constexpr MatrixElement mma884_b(bool row_major, u32 lane, u32 i) {
  const u32 half = lane / 16 * 4;
  return row_major ? MatrixElement{lane % 4, i + half} : MatrixElement{i, lane % 4 + half};
}
/// `bits`: 16 for .f16, 32 for .f32.
constexpr MatrixElement mma884_accumulator(u32 bits, u32 lane, u32 i) {
  const u32 half = lane / 16 * 4;
  if (bits == 16) return {lane % 4 + half, i};
  return {(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

}  // namespace heddle::sem
