// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

/// One instruction, where the processor has it, for what several do on 16 numbers. NaNs become
/// canonical: instead of a comparison, for which masks are short in long code, and a choice. Not
/// where the processor takes subnormal operands for zero: the instruction would make them so. And
/// numbers that are not positive and normal are found by their class, not by their bits.
void use_fixups(llvm::Function& cta, llvm::TargetMachine& target, bool zeroes_subnormals);

/// Keeps apart what LLVM 19 makes one wrong instruction of with AVX-512: bits of one vector beside
/// those of another, which a constant chooses, in the lanes that a mask chooses, while the others
/// keep one of the two vectors (issue 157929 of llvm-project, mended there in July 2026). Between
/// them comes a copy of which it knows nothing.
void separate_choices(llvm::Function& cta, const llvm::TargetMachine& target);

/// The same between a mask, some of whose lanes are constant, as a number in each lane, and sums
/// with it. Where somebody wants only the lanes in which it is a constant, LLVM 19 goes back and
/// forth between `x + zext(mask)` and `x - sext(mask)`, for ever. Carries in chains of which
/// instructions are predicated by the number of the thread are such masks.
void separate_carries(llvm::Function& cta, const llvm::TargetMachine& target);

/// Arithmetic on vectors of halves as arithmetic on floats, and of their bits, where the processor
/// converts halves but does not compute with them: LLVM 19 would do it lane by lane, in a hundred
/// times as much code. A float has more than twice the digits and two, so rounding twice comes to
/// the same (Figueroa).
void widen_halves(llvm::Function& cta, const llvm::TargetMachine& target);

/// Removes gathers of which the addresses are undefined: of lanes that never come. LLVM 19 gives
/// their addresses, as they do not matter, the register of the result, and the processor refuses
/// that.
void drop_undefined_gathers(llvm::Function& cta);

}  // namespace heddle::jit
