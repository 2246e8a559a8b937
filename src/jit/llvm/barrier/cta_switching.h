// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTAs of one column of the grid that read the same, as those of a tiled matrix product read the
// same columns of the right factor, shall take turns: each goes on for some barriers, and what it
// has read is still in a near cache when the next one comes to read it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Whether a loop with barriers reads what does not depend on %ctaid.y, and something else does.
bool reads_columns(const ScalarKernel& kernel, const Shapes& shapes);

/// At the end of the builder's block, where all teams have come to the barrier `state`: goes on to
/// `next`, or leaves the code when the CTA's turn is over.
void go_on(llvm::IRBuilder<>& builder, const Vectorized& cta, llvm::Value* state,
           llvm::BasicBlock* next);

/// Where the turn before ended, 0 at the beginning of a CTA, and where there are no turns; asked
/// once.
llvm::Value* begin_turn(llvm::IRBuilder<>& builder, const Vectorized& cta);

}  // namespace heddle::jit
