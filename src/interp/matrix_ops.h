// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices between memory and the registers of a warp: ldmatrix, stmatrix (PTX ISA 9.7.14.5.15,
// 9.7.14.5.16), wmma.load and wmma.store (9.7.14.4.3, 9.7.14.4.4). All threads of the warp that
// have not exited execute them together. Lanes that are missing supply nothing.
#pragma once

#include "interp/op.h"
#include "isa/sem/matrix_fragments.h"
#include "isa/sem/matrix_move.h"

namespace heddle::interp {

// ldmatrix and stmatrix: an address of rows, and a `list` of `count` registers. runtime[0]: the
// MatrixOrder; runtime[1]: bits of an element, where elements are packed in rows, else 0.
void ldmatrix(Warp& warp, const Op& op);
void stmatrix(Warp& warp, const Op& op);

// wmma.load and wmma.store: src[0] host addresses of the matrix, src[1] strides in elements; a
// `list` of `count` registers. runtime: see describe_fragment().
void wmma_load(Warp& warp, const Op& op);
void wmma_store(Warp& warp, const Op& op);

/// The matrix that the lanes hold, and how it lies in memory: Op::flags have kColumnMajor and
/// kInShared.
inline void describe_fragment(Op& op, const sem::Fragment& f) {
  const u32 numbers[] = {static_cast<u32>(f.operand), f.m, f.n, f.k, f.bits};
  for (u32 i = 0; i < std::size(numbers); ++i) op.runtime[i] = static_cast<u8>(numbers[i]);
}
inline sem::Fragment fragment_of(const Op& op) {
  return {static_cast<sem::MatrixOperand>(op.runtime[0]), op.runtime[1], op.runtime[2],
          op.runtime[3], op.runtime[4]};
}
/// Beside kMembers.
inline constexpr u8 kColumnMajor = 4, kInShared = 8;

}  // namespace heddle::interp
