// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch weights.
#pragma once

#include <llvm/IR/Instructions.h>

namespace heddle::jit {

/// Marks a branch whose condition is nearly always true, or nearly always false.
void expect(llvm::BranchInst* branch, bool holds = true);

/// Whether the conditional branch at the end of `from` goes to `to` less often than to its other
/// successor.
bool is_unlikely(const llvm::BasicBlock* from, const llvm::BasicBlock* to);

}  // namespace heddle::jit
