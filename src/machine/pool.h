// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads that share the work of grids. A launch never waits for a thread that sleeps: whoever
// is awake helps, and the launch waits only for those that came. (A general task scheduler waits
// for the tasks that it handed out, and small grids take less time than a thread to wake up.)
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

#include "base/types.h"

namespace heddle::machine {

/// Which job this thread's jobs go before while this is alive: threads that may help come first to
/// the job of the lowest number.
class PoolPriority {
 public:
  explicit PoolPriority(int priority) : before_(current) { current = priority; }
  ~PoolPriority() { current = before_; }
  PoolPriority(const PoolPriority&) = delete;
  PoolPriority& operator=(const PoolPriority&) = delete;
  static int here() { return current; }

 private:
  static thread_local int current;
  const int before_;
};

class Pool {
 public:
  /// The one of this process. It stays, as threads may while the process ends.
  static Pool& of_process();

  /// Calls work(0) here, and work(1 to helpers) on up to so many other threads at the same time:
  /// the same number on the same thread each time, when there are as many threads. Returns when all
  /// calls have. `work` finds out by itself that nothing is left to do.
  void run(u32 helpers, const std::function<void(u32)>& work);

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  struct Job {
    const std::function<void(u32)>* work;
    u32 helpers;
    u32 wanted;  ///< that may still come
    int priority;
    std::atomic<u32> inside{0};
  };

  bool join(u32 number);
  void help(u32 number);

  std::mutex mutex_;
  std::condition_variable posted_, left_;
  std::list<Job*> jobs_;         ///< in the order in which they get help
  std::atomic<u32> wanted_{0};   ///< helpers, by all jobs
  std::atomic<u32> waits_{0};    ///< who sleeps until helpers have left
  std::atomic<u64> posts_{0};    ///< changes with every job
  std::atomic<u32> running_{0};  ///< jobs that have been posted and are not done
  u32 threads_ = 0, asleep_ = 0;
};

}  // namespace heddle::machine
