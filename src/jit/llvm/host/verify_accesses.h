// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::jit {

/// Has each access of a kernel's memory in the finished code looked at when it runs, whatever the
/// vectorizer has checked or proved before: one that lies outside of the device's memory and of
/// registered host memory is a bug of the compiler and ends the process. Of a masked access that is
/// what its active lanes access. `cta`: the function that HelperId's functions are called from.
void verify_accesses(llvm::Function& cta);

}  // namespace heddle::jit
