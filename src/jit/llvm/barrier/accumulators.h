// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators of loops with barriers, if there are more than registers. They would be spilled, and
// copied to the frame and back at each barrier. Instead they lie in the frame.
#pragma once

#include <vector>

#include "base/types.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// A web of phi nodes that pass a value on to each other.
struct Accumulator {
  std::vector<llvm::PHINode*> phis;
  bool in_frame = false;  ///< one place can hold it; else it stays in registers or is spilled
};

/// The accumulators of blocks that have more of them than there are registers. Does not change the
/// code.
std::vector<Accumulator> find_accumulators(const Vectorized& cta);

/// Assigns places of 64 bytes in the frame to such vectors, from `offset` on. They are loaded where
/// they are used, and stored where they are computed. Returns where the last one ends.
u32 keep_accumulators_in_frame(const Vectorized& cta, llvm::Value* frame, u32 offset);

}  // namespace heddle::jit
