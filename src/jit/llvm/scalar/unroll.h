// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that add to more sums than there are registers.
#pragma once

#include "jit/llvm/analyses.h"

namespace llvm {
class Function;
}

namespace heddle::jit {

/// Has such loops do several rounds at a time, where their number is known, so that a sum, which
/// lies on the stack, is read and written once for all of them. True: there was one.
bool unroll_accumulators(llvm::Function& function, Analyses& analyses);

}  // namespace heddle::jit
