// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/scalar/unroll.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>

#include <algorithm>
#include <vector>

namespace heddle::jit {
namespace {

/// An accumulator is two vectors, and of 32 registers some are for operands.
constexpr unsigned kMostSums = 14;
/// The factor: a larger one would compile for longer and hardly be faster.
constexpr unsigned kRounds = 2;

bool is_sum(const llvm::PHINode& phi) { return phi.getType()->isFloatingPointTy(); }

bool has_many_sums(const llvm::Loop& loop) {
  return loop.getNumBlocks() == 1 &&
         std::ranges::count_if(loop.getHeader()->phis(), is_sum) > kMostSums;
}

/// All additions to one accumulator are consecutive, instead of all of one round before all of the
/// next.
void join_rounds(llvm::BasicBlock& block) {
  for (llvm::Instruction& inst : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!inst.getType()->isFloatingPointTy() || llvm::isa<llvm::PHINode>(inst) ||
        inst.mayReadOrWriteMemory() || !inst.hasOneUse())
      continue;
    auto* user = llvm::cast<llvm::Instruction>(*inst.user_begin());
    if (user->getParent() == &block && !llvm::isa<llvm::PHINode>(user)) inst.moveBefore(user);
  }
}

}  // namespace

bool unroll_accumulators(llvm::Function& function, Analyses& analyses) {
  auto& loops = analyses.functions.getResult<llvm::LoopAnalysis>(function);
  std::vector<llvm::BasicBlock*> bodies;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!has_many_sums(*loop)) continue;
    auto& counts = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
    if (counts.getSmallConstantTripMultiple(loop) % kRounds != 0) continue;
    llvm::LLVMContext& context = function.getContext();
    llvm::Metadata* count[] = {llvm::MDString::get(context, "llvm.loop.unroll.count"),
                               llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                   llvm::Type::getInt32Ty(context), kRounds))};
    llvm::MDNode* id =
        llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, count)});
    id->replaceOperandWith(0, id);
    loop->setLoopID(id);
    bodies.push_back(loop->getHeader());
  }
  if (bodies.empty()) return false;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, /*OnlyWhenForced=*/true)));
  passes.run(function, analyses.functions);
  for (llvm::BasicBlock* body : bodies) join_rounds(*body);
  return true;
}

}  // namespace heddle::jit
