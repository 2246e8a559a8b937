// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that sleeps takes longer to wake than a small kernel to run, so it spins for a while
// before it goes to sleep.
#pragma once

#include <chrono>
#include <thread>

namespace heddle {

/// Yields the core to its other hardware thread for a moment.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Returns when the condition no longer holds, or after `most`. For the first microseconds it spins
/// without yielding its processor, because a yield takes as long as a small kernel.
template <class F>
void spin_while(std::chrono::microseconds most, F condition) {
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    if (!condition()) return;
    pause_briefly();
  }
  const auto until = std::chrono::steady_clock::now() + most;
  while (condition() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace heddle
