// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that sleeps takes longer to wake than a small kernel to run, so it looks for a while
// before it goes to sleep.
#pragma once

#include <chrono>
#include <thread>

namespace heddle {

/// Returns when the condition does not hold any more, or after `most`.
template <class F>
void look_while(std::chrono::microseconds most, F condition) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (condition() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace heddle
