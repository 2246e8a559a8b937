// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How likely the ways of branches are.
#pragma once

#include <llvm/IR/Instructions.h>

namespace heddle::jit {

/// The branch's condition holds nearly always, or hardly ever.
void expect(llvm::BranchInst* branch, bool holds = true);

/// Whether the branch at the end of `from`, if it has a condition, goes to `to` less often than the
/// other way.
bool is_unlikely(const llvm::BasicBlock* from, const llvm::BasicBlock* to);

}  // namespace heddle::jit
