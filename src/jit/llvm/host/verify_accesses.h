// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::jit {

/// Inserts a check in front of each access to a kernel's memory in the finished code, whatever the
/// vectorizer has checked or proved before: an access outside of the device's memory and of
/// registered host memory is a bug of the compiler and ends the process. Only active lanes of a
/// masked access count. `cta`: the function that calls HelperId's functions.
void verify_accesses(llvm::Function& cta);

}  // namespace heddle::jit
