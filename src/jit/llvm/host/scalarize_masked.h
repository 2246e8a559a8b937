// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace heddle::jit {

/// Replaces masked accesses that the processor has no instruction for by loops over the active
/// lanes. LLVM would emit a branch for each lane, which costs hundreds of instructions per access,
/// and as much compile time.
void scalarize_masked(llvm::Function& cta, const llvm::TargetTransformInfo& target);

}  // namespace heddle::jit
