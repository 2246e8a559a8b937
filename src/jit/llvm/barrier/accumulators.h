// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over loops with barriers in them, of which there are more than registers. They would lie on
// the stack, and be copied to the frame and back at each barrier. They lie in the frame instead.
#pragma once

#include <vector>

#include "base/types.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Phi nodes that hand a value on to each other.
struct Accumulator {
  std::vector<llvm::PHINode*> phis;
  bool in_frame = false;  ///< one place can hold it; else it stays in registers or on the stack
};

/// Those of blocks that have more of them than there are registers. The code stays as it is.
std::vector<Accumulator> find_accumulators(const Vectorized& cta);

/// Gives such vectors places of 64 bytes in the frame, from `offset` on: they are read where they
/// are used, and written where they are computed. Returns where the last one ends.
u32 keep_accumulators_in_frame(const Vectorized& cta, llvm::Value* frame, u32 offset);

}  // namespace heddle::jit
