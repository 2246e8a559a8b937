// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers cut the code into regions. A warp that comes to a barrier yields to the next warp; when
// all have come, each continues behind it. Values that live across a barrier are in the warp's
// frame: stored where they are computed, loaded where the warp continues.
#pragma once

#include "base/types.h"
#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// Replaces the calls of kRegionEnd. Returns the size of a warp's frame in bytes, a multiple of 64,
/// with a WarpState at its beginning; 0 if no warp ever waits.
u32 split_regions(const Vectorized& cta);

}  // namespace heddle::jit
