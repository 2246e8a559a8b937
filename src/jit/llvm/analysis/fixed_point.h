// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterates an analysis to its fixed point. It ends because each fact moves in one direction through
// a lattice of known height: the caller gives the number of all steps, which is checked.
#pragma once

#include <cstddef>

#include "base/check.h"
#include "jit/llvm/verify.h"

namespace heddle::jit {

/// Repeats `round`, which returns whether it has changed something, until it has not. `most`: the
/// sum over all facts of the steps that each can take; a round that changes something takes at
/// least one.
template <class Round>
void until_stable(std::size_t most, Round round) {
  for (std::size_t rounds = 0; round(); ++rounds) {
    if (rounds > most && verifies()) HEDDLE_CHECK(!"an analysis that does not end");
  }
}

}  // namespace heddle::jit
