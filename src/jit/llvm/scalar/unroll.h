// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with more accumulators than there are registers.
#pragma once

#include "jit/llvm/analyses.h"

namespace llvm {
class Function;
}

namespace heddle::jit {

/// Unrolls such loops where their trip count is known, so that an accumulator that is spilled is
/// loaded and stored once for several rounds. True: there was one.
bool unroll_accumulators(llvm::Function& function, Analyses& analyses);

}  // namespace heddle::jit
