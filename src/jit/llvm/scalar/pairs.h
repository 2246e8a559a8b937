// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on both halves of a word (f16x2).
#pragma once

namespace llvm {
class Function;
}

namespace heddle::jit {

/// Makes one operation on two halves of what the semantics do to each half of a word, where both go
/// the same way. The vectorizer makes it an operation on the 32 halves of sixteen lanes.
void join_pairs(llvm::Function& function);

}  // namespace heddle::jit
