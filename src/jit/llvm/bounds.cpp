// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/bounds.h"

#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>

namespace heddle::jit {

BoundsAnalysis::BoundsAnalysis(llvm::Function& function, Analyses& analyses)
    : loops_(analyses.functions.getResult<llvm::LoopAnalysis>(function)),
      evolution_(analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      dominators_(analyses.functions.getResult<llvm::DominatorTreeAnalysis>(function)) {
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && branch->isConditional()) branches_.registerBranch(branch);
  }
}

u64 BoundsAnalysis::most_rounds(const llvm::BasicBlock* header) {
  const unsigned count = evolution_.getSmallConstantMaxTripCount(loops_.getLoopFor(header));
  return count ? count : ~u64{0};
}

Bounds BoundsAnalysis::of(llvm::Value* value, const llvm::Instruction& there) {
  // Each knows what the other does not: sums and loops, bits and branches.
  const llvm::SCEV* number = evolution_.getSCEV(value);
  const llvm::ConstantRange range = evolution_.getUnsignedRange(number);
  const llvm::SimplifyQuery query(there.getDataLayout(), /*TLI=*/nullptr, &dominators_,
                                  /*AC=*/nullptr, &there, /*UseInstrInfo=*/true,
                                  /*CanUseUndef=*/true, &branches_);
  const llvm::KnownBits bits = llvm::computeKnownBits(value, 0, query);
  return {std::max(range.getUnsignedMin().getZExtValue(), bits.getMinValue().getZExtValue()),
          std::min(range.getUnsignedMax().getZExtValue(), bits.getMaxValue().getZExtValue()),
          std::max(evolution_.getMinTrailingZeros(number), bits.countMinTrailingZeros())};
}

}  // namespace heddle::jit
