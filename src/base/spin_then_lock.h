// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spin-then-lock, for mutexes that are held for a moment: a thread that sleeps on a mutex takes
// longer to wake up than a small kernel to run.
#pragma once

#include <mutex>

#include "base/spin_while.h"

namespace heddle {

/// Locks a mutex that this thread does not hold: spins for some microseconds, then sleeps.
inline void spin_then_lock(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause_briefly();
  }
  lock.lock();
}

inline std::unique_lock<std::mutex> spin_then_lock(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  spin_then_lock(lock);
  return lock;
}

}  // namespace heddle
