// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma (PTX ISA 9.7.16.10). It is done when it is issued, like all operations on tensor
// memory (tensor_memory_ops.h).
#pragma once

#include "interp/op.h"

namespace heddle::interp {

/// The operands in Op::list, each a register of 32 bits, or of 64 where it is a descriptor. Those
/// that a form lacks are zero.
struct TensorProductOperands {
  enum Index : u32 {
    d,
    a,
    b,
    metadata,
    descriptor,  ///< of the instruction
    accumulate,  ///< a predicate
    scale_d,
    scale_a,
    scale_b,
    zero_columns,
    disabled,  ///< eight registers
    count = disabled + 8,
  };
};
/// What is added to the addresses in tensor memory, behind the operands in Op::list.
inline constexpr u32 kTensorOffsets = TensorProductOperands::count;

/// Op::runtime: [0] 1 with `.cta_group::2`; [1] an isa::Tcgen05Kind; [2] elements that have one
/// scale factor. Op::flags: of these.
inline constexpr u8 kSparseA = 1, kAInTensorMemory = 2, kShiftsA = 4, kWeightStationary = 8;
void tensor_multiply(Warp& warp, const Op& op);

}  // namespace heddle::interp
