// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace heddle::jit {

/// Has calls of the run-time that are hardly ever made keep all registers.
void make_cold_calls(llvm::Function& warp, llvm::TargetMachine& target);

}  // namespace heddle::jit
