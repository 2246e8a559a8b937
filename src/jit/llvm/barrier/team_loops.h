// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that lead all teams from one place to one barrier. Such a region becomes a loop of its
// own over the teams, and control falls through to the next region, without a dispatch on where
// each team resumes. Only teams that the run-time resumes one by one are dispatched.
#pragma once

#include <vector>

#include "jit/llvm/vector/vectorize.h"

namespace heddle::jit {

/// The control flow over teams, and from region to region.
struct Rounds {
  /// An end of a region.
  struct End {
    llvm::BasicBlock* block = nullptr;        ///< branches to Vectorized::next
    std::vector<llvm::Instruction*> leaving;  ///< in it: stores where the team ended
    llvm::Value* state = nullptr;  ///< what is stored, if it is the same for all teams; else null
    u32 following = 0;             ///< the region that follows; kNone: none, the CTA ends
  };
  struct Region {
    llvm::BasicBlock* begin = nullptr;
    std::vector<llvm::BasicBlock*> ends;  ///< that a team may come to from its beginning
  };
  static constexpr u32 kNone = ~u32{0};

  llvm::BasicBlock* go = nullptr;  ///< dispatches to the region of the team that runs
  /// In Vectorized::head: the state that the teams of this round have come to, whether they began
  /// at one place, and which.
  llvm::PHINode *met = nullptr, *together = nullptr, *place = nullptr;
  llvm::Value* none_yet = nullptr;  ///< the initial value of `met`
  std::vector<Region> regions;      ///< the first one is where CTAs begin
  std::vector<End> ends;
};

void make_team_loops(const Vectorized& cta, const Rounds& rounds);

}  // namespace heddle::jit
