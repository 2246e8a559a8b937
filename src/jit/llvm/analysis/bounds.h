// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of integers, valid for every thread that comes to a place: from ranges (of %tid, of loop
// counters) and from dominating branches.
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
  /// The function must not change while the analysis is used.
  BoundsAnalysis(llvm::Function& function, Analyses& analyses);
  /// The bounds of an integer of at most 64 bits where `there` is executed.
  Bounds of(llvm::Value* value, llvm::Instruction& there);
  /// The most rounds of the loop with this header; the largest number: unknown.
  u64 most_rounds(const llvm::BasicBlock* header);

 private:
  /// Results at one place: operands are shared, so without these the analysis takes time in
  /// proportion to the paths to them.
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
