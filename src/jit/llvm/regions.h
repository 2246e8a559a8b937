// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers cut a warp's function into regions. A warp that comes to one returns; when it is called
// again it goes on behind it. What it still needs lies in its frame meanwhile: written where it is
// computed, read where the warp goes on.
#pragma once

#include <llvm/IR/Function.h>

#include "base/types.h"

namespace heddle::jit {

/// Replaces the calls of kRegionEnd. Returns the size of the frame in bytes, a multiple of 64; its
/// first word says where to go on, 0 at the beginning.
u32 split_regions(llvm::Function& warp);

}  // namespace heddle::jit
