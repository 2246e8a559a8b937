// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a warp that wait for others of it: for a lock that one of them has, for a number that one
// of them has still to write. Lanes that part go one way after the other, so those who wait would
// hold up whom they wait for. Here they take turns.
#pragma once

#include "jit/llvm/scalar.h"
#include "jit/llvm/shape.h"

namespace heddle::jit {

/// The part of the kernel from where such lanes wait to the next barrier, or the end, becomes one
/// loop. In a round of it each lane goes on from where its number says until it would go around a
/// loop that may wait, or leaves that part; then all lanes meet. False: there is no such part, or it
/// is entered in several ways. `shapes` are no longer those of the kernel.
bool take_turns(ScalarKernel& kernel, const Shapes& shapes, Analyses& analyses);

}  // namespace heddle::jit
