// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that all teams go through from one place to one barrier. Such a region becomes a loop of
// its own over the teams, and where the last one has come the next region follows: nobody asks
// where a team goes on. Only those that the run-time sends, one by one, come the long way.
#pragma once

#include <vector>

#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// How teams go round, and from region to region.
struct Rounds {
  /// Where one ends.
  struct End {
    llvm::BasicBlock* block = nullptr;        ///< goes to Vectorized::next
    std::vector<llvm::Instruction*> leaving;  ///< in it: notes where the team ended
    llvm::Value* state = nullptr;             ///< the note, if all teams note the same; else null
    u32 following = 0;  ///< the region that follows; kNone: none, the CTA ends
  };
  struct Region {
    llvm::BasicBlock* begin = nullptr;
    std::vector<llvm::BasicBlock*> ends;  ///< that a team may come to from there
  };
  static constexpr u32 kNone = ~u32{0};

  llvm::BasicBlock* go = nullptr;  ///< chooses the region of the team whose turn it is
  /// In Vectorized::head: what the teams of this round have come to, whether they began at one
  /// place, and which.
  llvm::PHINode *met = nullptr, *together = nullptr, *place = nullptr;
  llvm::Value* nobody_yet = nullptr;  ///< `met` of the first
  std::vector<Region> regions;        ///< the first one is where CTAs begin
  std::vector<End> ends;
};

void make_team_loops(const Vectorized& cta, const Rounds& rounds);

}  // namespace heddle::jit
