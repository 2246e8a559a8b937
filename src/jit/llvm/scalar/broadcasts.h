// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A race that no GPU loses: all warps read the same word of shared memory behind a barrier, and one
// of them overwrites it before the next barrier. On a GPU all have read it by then. Compiled code
// runs one warp up to the next barrier before the next warp begins (docs/adr/0008).
#pragma once

#include "jit/llvm/analyses.h"
#include "jit/llvm/scalar.h"
#include "machine/engine.h"

namespace heddle::jit {

/// Puts a barrier behind such loads. Returns how many.
unsigned separate_broadcasts(ScalarKernel& kernel, Analyses& analyses, const machine::Dim3& block);

}  // namespace heddle::jit
