// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that compiles in the background. It begins with the first work and ends with the
// process: nothing that it uses has a destructor (llvm/host/never_destroyed.cpp).
#pragma once

#include <functional>

namespace heddle::jit {

/// Runs `work` on the background thread. If several are queued, the one with the highest `urgency`
/// is next; `urgency` is called each time, on any thread.
void in_background(std::function<void()> work, std::function<double()> urgency);

/// Waits until the queue is empty and nothing runs. For tests.
void wait_for_background();

}  // namespace heddle::jit
