// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/analysis/branch_weights.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ProfDataUtils.h>

#include <utility>

#include "base/types.h"

namespace heddle::jit {

void expect(llvm::BranchInst* branch, bool holds) {
  branch->setMetadata(llvm::LLVMContext::MD_prof,
                      llvm::MDBuilder(branch->getContext())
                          .createBranchWeights(holds ? 1000 : 1, holds ? 1 : 1000));
}

bool is_unlikely(const llvm::BasicBlock* from, const llvm::BasicBlock* to) {
  u64 yes = 0, no = 0;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional() || !llvm::extractBranchWeights(*branch, yes, no))
    return false;
  if (branch->getSuccessor(0) != to) std::swap(yes, no);
  return (branch->getSuccessor(0) == to || branch->getSuccessor(1) == to) && yes < no;
}

}  // namespace heddle::jit
