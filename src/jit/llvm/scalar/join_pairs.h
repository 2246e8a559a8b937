// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on both halves of a word (f16x2).
#pragma once

namespace llvm {
class Function;
}

namespace heddle::jit {

/// Joins equal operations of the semantics on each half of a word to one operation on <2 x half>.
/// The vectorizer makes that one on the 32 halves of sixteen lanes.
void join_pairs(llvm::Function& function);

}  // namespace heddle::jit
