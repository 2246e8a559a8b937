// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

/// Makes NaNs canonical by one instruction, where the processor has it: instead of a comparison,
/// for which masks are short in long code, and a choice. Not where the processor takes subnormal
/// operands for zero: the instruction would make them so.
void use_fixups(llvm::Function& cta, llvm::TargetMachine& target);

}  // namespace heddle::jit
