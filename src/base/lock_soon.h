// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that others hold for a moment: a thread that goes to sleep for one takes longer to wake up
// than a small kernel to run.
#pragma once

#include <mutex>

#include "base/look_while.h"

namespace heddle {

/// Locks what is not locked by this thread: looks for some microseconds, then sleeps.
inline void lock_soon(std::unique_lock<std::mutex>& lock) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (lock.try_lock()) return;
    pause_briefly();
  }
  lock.lock();
}

inline std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  lock_soon(lock);
  return lock;
}

}  // namespace heddle
