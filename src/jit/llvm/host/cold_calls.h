// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

/// Calls of the run-time behind unlikely branches preserve all registers.
void make_cold_calls(llvm::Function& warp, llvm::TargetMachine& target);

}  // namespace heddle::jit
