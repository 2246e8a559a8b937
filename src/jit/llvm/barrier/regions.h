// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers cut a warp's code into regions. A warp that comes to one makes room for the next warp;
// when all have come, each goes on behind it. What it still needs lies in its frame meanwhile:
// written where it is computed, read where the warp goes on.
#pragma once

#include "base/types.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Replaces the calls of kRegionEnd. Returns the size of a warp's frame in bytes, a multiple of 64,
/// which begins with a WarpState; 0 when nothing waits.
u32 split_regions(const Vectorized& cta);

}  // namespace heddle::jit
