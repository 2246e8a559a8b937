// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that compiles beside running kernels. It is there when it is needed, and goes with
// the process: nothing that it uses has a destructor (llvm/never_destroyed.cpp).
#pragma once

#include <functional>

namespace heddle::jit {

/// Runs `work` soon, on the thread that is for this. Of several, the one of which `urgency` says
/// most is next; it is asked each time, on that thread or another.
void in_background(std::function<void()> work, std::function<double()> urgency);

/// Waits until nothing is left to do. For tests.
void wait_for_background();

}  // namespace heddle::jit
