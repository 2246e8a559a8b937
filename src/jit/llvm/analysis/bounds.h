// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value may be, for every thread that comes to a place: from ranges (of %tid, of loops'
// counters) and from the branches on the way there.
#pragma once

#include <llvm/Analysis/DomConditionCache.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include <map>

#include "base/types.h"
#include "jit/llvm/analyses.h"

namespace heddle::jit {

/// Unsigned: all numbers from `least` to `largest` that are multiples of 2^`zeros`.
struct Bounds {
  u64 least = 0, largest = ~u64{0};
  unsigned zeros = 0;
};

class BoundsAnalysis {
 public:
  /// The function stays as it is as long as this one is asked.
  BoundsAnalysis(llvm::Function& function, Analyses& analyses);
  /// Of an integer of at most 64 bits, where `there` is run.
  Bounds of(llvm::Value* value, llvm::Instruction& there);
  /// Of the loop with this header, at most; the largest number: nobody knows.
  u64 most_rounds(const llvm::BasicBlock* header);

 private:
  /// At one place. What a number is made of is shared, so without these it takes as long as there
  /// are ways to it.
  using Ranges = std::map<const llvm::SCEV*, llvm::ConstantRange>;
  llvm::ConstantRange range_of(const llvm::SCEV* number, llvm::Instruction& there,
                               Ranges& known_there);
  llvm::ConstantRange find_range(const llvm::SCEV* number, llvm::Instruction& there,
                                 Ranges& known_there);

  llvm::LoopInfo& loops_;
  llvm::LazyValueInfo& values_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::DomConditionCache branches_;
};

}  // namespace heddle::jit
