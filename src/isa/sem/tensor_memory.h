// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tcgen05.ld, st and cp arrange data in tensor memory (PTX ISA 9.7.16.2.3, 9.7.16.8, 9.7.16.9).
#pragma once

#include "isa/groups.h"
#include "isa/sem/matrix_move.h"
#include "isa/sem/types.h"
#include "isa/sem/warp_redux.h"

namespace heddle::sem {

/// A cell of tensor memory, counted from the address of the instruction.
struct TensorCell {
  u32 row, column;
  constexpr bool operator==(const TensorCell&) const = default;
};

// --- fragments of ld and st (9.7.16.2.3.1) ---

/// Lanes of tensor memory that an instruction of the shape accesses.
constexpr u32 tensor_rows(TmemShape shape) { return shape == TmemShape::_32x32b ? 32 : 16; }

/// Columns that an instruction of the shape accesses with that many registers; of .16x32bx2, in
/// each half.
constexpr u32 tensor_columns(TmemShape shape, u32 registers) {
  return shape == TmemShape::_32x32b || shape == TmemShape::_16x32bx2 ? registers : 2 * registers;
}

/// The cell of a register of the thread in `lane` of the warp. The threads of the upper half of
/// .16x32bx2 count columns from the second address.
template <TmemShape kShape>
constexpr TensorCell tensor_cell(u32 lane, u32 number) {
  switch (kShape) {
    case TmemShape::_16x64b:
      return {lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * number};
    case TmemShape::_16x128b:
      return {lane / 4 + 8 * (number % 2), lane % 4 + 4 * (number / 2)};
    case TmemShape::_16x256b:
      return {lane / 4 + 8 * (number / 2 % 2), 2 * (lane % 4) + number % 2 + 8 * (number / 4)};
    case TmemShape::_16x32bx2:
      return {lane % 16, number};
    default:
      return {lane, number};  // .32x32b
  }
}

// --- tcgen05.ld.red ---

/// The reduction of the registers of one thread, `value(i)` for i < count.
template <class F>
constexpr u32 tensor_reduce(Type type, TmemReduction reduction, Flag abs, Flag nan, u32 count,
                            F value) {
  const Reduxop op = reduction == TmemReduction::min ? Reduxop::min : Reduxop::max;
  if (type == Type::f32) {
    FloatExtreme extreme(op, abs, nan);
    for (u32 i = 0; i < count; ++i) extreme.add(value(i));
    return extreme.result();
  }
  u32 result = value(0);
  for (u32 i = 1; i < count; ++i) {
    result =
        type == Type::s32
            ? static_cast<u32>(redux_pair(op, static_cast<s32>(result), static_cast<s32>(value(i))))
            : redux_pair(op, result, value(i));
  }
  return result;
}

// --- tcgen05.cp (9.7.16.9) ---

/// The matrix in shared memory: rows, and 16-byte parts of a row.
struct TensorCopyShape {
  u32 rows, parts;
};
constexpr TensorCopyShape tensor_copy_shape(TmemCopy shape) {
  switch (shape) {
    case TmemCopy::_128x256b:
      return {128, 2};
    case TmemCopy::_4x256b:
      return {4, 2};
    case TmemCopy::_128x128b:
      return {128, 1};
    case TmemCopy::_64x128b:
      return {64, 1};
    default:
      return {32, 1};  // .32x128b
  }
}

/// Where a row is copied to: its lane in each quarter of tensor memory that `quarters` has a bit
/// for.
struct TensorCopyRow {
  u32 lane, quarters;
};
constexpr TensorCopyRow tensor_copy_row(TmemCopy shape, TmemMulticast multicast, u32 row) {
  if (shape == TmemCopy::_4x256b) return {0, 1u << row};
  switch (multicast) {
    case TmemMulticast::warpx2_02_13:
      return {row % 32, 0b0101u << row / 32};
    case TmemMulticast::warpx2_01_23:
      return {row % 32, 0b0011u << 2 * (row / 32)};
    case TmemMulticast::warpx4:
      return {row, 0b1111};
    default:
      return {row % 32, 1u << row / 32};
  }
}

/// Byte `number` of the 16 bytes that `part`, 16 bytes in shared memory, becomes (9.7.16.9.1). An
/// element of 4 bits lies in bits 2 to 5 of its byte, one of 6 bits in bits 0 to 5.
constexpr u8 tensor_copy_byte(TmemSource format, const u8* part, u32 number) {
  switch (format) {
    case TmemSource::b4x16_p64:
      return static_cast<u8>(packed_element(4, part, number) << 2);
    case TmemSource::b6x16_p32:
      return packed_element(6, part, number);
    default:
      return part[number];
  }
}

}  // namespace heddle::sem
