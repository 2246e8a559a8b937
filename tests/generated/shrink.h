// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shrinks a failing kernel: removes statements as long as it still fails.
#pragma once

#include <functional>

#include "kernel.h"

namespace heddle::generated {

/// `fails` holds for `kernel` and for the result. Calls it at most `tries` times.
Kernel shrink(Kernel kernel, const std::function<bool(const Kernel&)>& fails, u32 tries);

}  // namespace heddle::generated
