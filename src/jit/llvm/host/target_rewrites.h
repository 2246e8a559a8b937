// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

/// Uses AVX-512's vfixupimm and vfpclass: one instruction for several on 16 numbers. NaNs are made
/// canonical by one, instead of a comparison, whose masks are scarce in long code, and a select;
/// not where the processor takes subnormal operands as zero, since the instruction would flush
/// them. Numbers that are not positive and normal are found by their class, instead of by their
/// bits.
void use_fixupimm(llvm::Function& cta, llvm::TargetMachine& target, bool zeroes_subnormals);

/// Works around a bug of LLVM 19 with AVX-512 (issue 157929 of llvm-project, fixed there in July
/// 2026): it makes one wrong instruction of bits of two vectors that a constant mask selects, in
/// lanes that a mask selects, while the other lanes keep one of the two vectors. An opaque copy
/// goes between them.
void separate_choices(llvm::Function& cta, const llvm::TargetMachine& target);

/// Works around an endless loop of LLVM 19 with an opaque copy between a mask with some constant
/// lanes, extended to a number per lane, and sums with it: if only the constant lanes are used,
/// LLVM alternates between `x + zext(mask)` and `x - sext(mask)`. Carries in chains whose
/// instructions are predicated by the thread's number are such masks.
void separate_carries(llvm::Function& cta, const llvm::TargetMachine& target);

/// Computes vectors of halves as floats, where the processor converts halves but does not compute
/// with them: LLVM 19 would scalarize it, in a hundred times as much code. A float has more than
/// twice the digits and two, so rounding twice has the same result (Figueroa).
void widen_halves(llvm::Function& cta, const llvm::TargetMachine& target);

/// Removes gathers with undefined addresses, of lanes that are never active. LLVM 19 assigns their
/// addresses the register of the result, which the processor does not permit.
void drop_undefined_gathers(llvm::Function& cta);

}  // namespace heddle::jit
