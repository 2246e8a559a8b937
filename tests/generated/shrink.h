// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A smaller kernel that still fails: statements are dropped as long as it does.
#pragma once

#include <functional>

#include "kernel.h"

namespace heddle::generated {

/// `fails` is true of `kernel`, and of what comes back. Tries at most `tries` times.
Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& fails, u32 tries);

}  // namespace heddle::generated
