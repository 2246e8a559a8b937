// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analyses that go over the code until nothing changes any more. They end because each fact can
// change in one direction only, through a lattice of a known height: whoever writes one says how
// often facts can change in all, and that is held against what happens.
#pragma once

#include <cstddef>

#include "base/check.h"
#include "jit/llvm/verify.h"

namespace heddle::jit {

/// Repeats `round`, which says whether it changed something, until it did not. `most`: the sum over
/// all facts of the steps that each can take; a round that changes something takes at least one.
template <class Round>
void until_stable(std::size_t most, Round round) {
  for (std::size_t rounds = 0; round(); ++rounds) {
    if (rounds > most && verifies()) HEDDLE_CHECK(!"an analysis that does not end");
  }
}

}  // namespace heddle::jit
