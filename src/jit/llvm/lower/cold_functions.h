// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that hardly any thread calls, by their shape: CUDA's reduction of large arguments of
// sin and cos stands behind each of them, and is longer than they are. Such a call is left to the
// engine below, which runs the function for the lanes that come there, so that the code of the
// function is not in the kernel once for each call.
#pragma once

#include "ir/module.h"

namespace heddle::jit {

/// Whether the call, of a function of the module by its name, is one: only floating-point numbers
/// of kLarge and more (or NaN) come to it, the function is long (kLong), it calls no other, writes
/// no memory but its own, and looks at no other thread.
bool is_cold_call(const ir::Module& module, const ir::Function& caller, u32 inst);

}  // namespace heddle::jit
