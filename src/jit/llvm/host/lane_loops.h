// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace heddle::jit {

/// Makes accesses of some lanes that the processor has no instruction for loops over those lanes.
/// LLVM would make a branch for each lane, which costs hundreds of instructions an access, and as
/// much of its time.
void make_lane_loops(llvm::Function& cta, const llvm::TargetTransformInfo& target);

}  // namespace heddle::jit
