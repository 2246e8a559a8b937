// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over loops with barriers in them, of which there are more than registers. They would lie on
// the stack, and be copied to the frame and back at each barrier. They lie in the frame instead.
#pragma once

#include "base/types.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Gives such vectors places of 64 bytes in the frame, from `offset` on: they are read where they
/// are used, and written where they are computed. Returns where the last one ends.
u32 keep_in_frame(const Vectorized& cta, llvm::Value* frame, u32 offset);

}  // namespace heddle::jit
