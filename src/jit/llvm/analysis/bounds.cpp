// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/bounds.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>

namespace heddle::jit {

BoundsAnalysis::BoundsAnalysis(llvm::Function& function, Analyses& analyses)
    : loops_(analyses.functions.getResult<llvm::LoopAnalysis>(function)),
      values_(analyses.functions.getResult<llvm::LazyValueAnalysis>(function)),
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

llvm::ConstantRange BoundsAnalysis::range_of(const llvm::SCEV* number, llvm::Instruction& there,
                                             Ranges& known_there) {
  if (const auto found = known_there.find(number); found != known_there.end()) return found->second;
  const llvm::ConstantRange range = find_range(number, there, known_there);
  return known_there.emplace(number, range).first->second;
}

/// Combines the bounds of operands, each at its own place.
llvm::ConstantRange BoundsAnalysis::find_range(const llvm::SCEV* number, llvm::Instruction& there,
                                               Ranges& known_there) {
  const auto of_operand = [&](const llvm::SCEV* one) { return range_of(one, there, known_there); };
  const auto together = [&](const auto& join) {
    const auto operands = number->operands();
    llvm::ConstantRange all = of_operand(operands[0]);
    for (const llvm::SCEV* one : operands.drop_front()) all = join(all, of_operand(one));
    return all;
  };
  const unsigned bits = static_cast<unsigned>(evolution_.getTypeSizeInBits(number->getType()));
  llvm::ConstantRange known = evolution_.getUnsignedRange(number);
  const auto narrow = [&](const llvm::ConstantRange& more) {
    return known.intersectWith(more, llvm::ConstantRange::Unsigned);
  };
  switch (number->getSCEVType()) {
    case llvm::scUnknown:
      return narrow(values_.getConstantRange(llvm::cast<llvm::SCEVUnknown>(number)->getValue(),
                                             &there, /*UndefAllowed=*/false));
    case llvm::scAddExpr:
      return narrow(together([](const auto& a, const auto& b) { return a.add(b); }));
    case llvm::scMulExpr:
      return narrow(together([](const auto& a, const auto& b) { return a.multiply(b); }));
    case llvm::scZeroExtend:
      return narrow(of_operand(number->operands()[0]).zeroExtend(bits));
    case llvm::scSignExtend:
      return narrow(of_operand(number->operands()[0]).signExtend(bits));
    default:
      return known;
  }
}

Bounds BoundsAnalysis::of(llvm::Value* value, llvm::Instruction& there) {
  // Range analysis knows sums and loops, KnownBits knows bits.
  const llvm::SCEV* number = evolution_.getSCEV(value);
  Ranges known_there;
  const llvm::ConstantRange range = range_of(number, there, known_there);
  const llvm::SimplifyQuery query(there.getDataLayout(), /*TLI=*/nullptr, &dominators_,
                                  /*AC=*/nullptr, &there, /*UseInstrInfo=*/true,
                                  /*CanUseUndef=*/true, &branches_);
  const llvm::KnownBits bits = llvm::computeKnownBits(value, 0, query);
  return {std::max(range.getUnsignedMin().getZExtValue(), bits.getMinValue().getZExtValue()),
          std::min(range.getUnsignedMax().getZExtValue(), bits.getMaxValue().getZExtValue()),
          std::max(evolution_.getMinTrailingZeros(number), bits.countMinTrailingZeros())};
}

}  // namespace heddle::jit
