// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a warp that wait for others of it which are not where they are: for a lock that one of
// them has, for a number that one of them has still to write, at a barrier to which the others come
// in another round of a loop or on another way. Lanes that part go one way after the other, so
// those who wait would hold up whom they wait for. Here they take turns.
#pragma once

#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"

namespace heddle::jit {

/// The part of the kernel in which lanes wait so becomes one loop. In a round of it each lane goes
/// on from where its number says until it would go around a loop that may wait, comes to an
/// instruction at which it has to wait for others, or leaves that part; then all lanes meet. False:
/// there is no such part, or it is entered in several ways, or has barriers that cannot be waited
/// for so. `shapes` are no longer those of the kernel.
bool interleave_lanes(ScalarKernel& kernel, const Shapes& shapes);

}  // namespace heddle::jit
