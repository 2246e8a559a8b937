// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a warp that wait for other lanes of it: for a lock that one of them holds, for a value
// that one of them will write, at a barrier to which others come in another iteration or by another
// path. Divergent paths are executed one after the other, so waiting lanes would block those that
// they wait for. This transformation gives them independent forward progress.
#pragma once

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// Turns the part of the kernel in which lanes wait into a loop, whose body dispatches each lane to
/// its own place. In a round a lane runs until it would repeat a loop that may wait, comes to an
/// instruction at which it has to wait for others, or leaves the part; then all lanes reconverge.
/// False: there is no such part, or it has several entries, or barriers that cannot be waited for
/// so. `shapes` are not valid afterwards.
bool interleave_lanes(ScalarKernel& kernel, const Shapes& shapes);

}  // namespace heddle::jit
