// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cold functions, recognised by their form: sin and cos of CUDA call a function that reduces large
// arguments, which is longer than they are and hardly ever runs. Such a call stays a call of the
// fallback engine for the active lanes, so that the function is not inlined at each call.
#pragma once

#include "ir/module.h"

namespace heddle::jit {

/// Whether the direct call is one of a cold function: only floating-point numbers of at least
/// kLarge (or NaN) reach it, and the function is long (kLong), calls no other function, writes
/// local memory only, and does not depend on other threads.
bool is_cold_call(const ir::Module& module, const ir::Function& caller, u32 inst);

}  // namespace heddle::jit
