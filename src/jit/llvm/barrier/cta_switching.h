// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switches between CTAs of one column of the grid that read the same memory, as those of a tiled
// matrix product read the same columns of the right factor: each runs for some barriers, so that
// what it has read is still in a near cache when the next one reads it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Whether a loop with barriers reads from addresses that do not depend on %ctaid.y, and something
/// else depends on it.
bool reads_by_column(const ScalarKernel& kernel, const Shapes& shapes);

/// At the end of the builder's block, where all teams have come to the barrier `state`: branches to
/// `next`, or returns when the CTA's barriers are used up.
void continue_or_switch(llvm::IRBuilder<>& builder, const Vectorized& cta, llvm::Value* state,
                        llvm::BasicBlock* next);

/// Where this CTA resumes; 0 at its beginning, and in kernels that do not switch. Loaded once.
llvm::Value* load_resume_point(llvm::IRBuilder<>& builder, const Vectorized& cta);

}  // namespace heddle::jit
