// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads that share the work of grids. A launch never waits for a sleeping thread: threads
// that are awake help, and the launch waits only for those that took part. (A general task
// scheduler waits for the tasks that it handed out, but a small grid takes less time than a thread
// to wake up.)
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

#include "base/types.h"

namespace heddle::machine {

/// While alive, sets the priority of this thread's jobs: helpers come first to the job with the
/// lowest number.
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
  /// The pool of this process. It is never destroyed, because its threads may run until the process
  /// ends.
  static Pool& of_process();

  /// Calls work(0) on this thread, and work(1) to work(helpers) on up to `helpers` other threads at
  /// the same time: the same number on the same thread each time, if there are as many threads.
  /// Returns when all calls have returned. Some of the calls may be missing, so `work` must
  /// distribute the work dynamically.
  void run(u32 helpers, const std::function<void(u32)>& work);

  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  struct Job {
    const std::function<void(u32)>* work;
    u32 helpers;
    u32 wanted;  ///< helpers that may still come
    int priority;
    std::atomic<u32> inside{0};
  };

  bool join(u32 number);
  void help(u32 number);

  std::mutex mutex_;
  std::condition_variable posted_, left_;
  std::list<Job*> jobs_;         ///< in the order of priority
  std::atomic<u32> wanted_{0};   ///< helpers, over all jobs
  std::atomic<u32> waits_{0};    ///< threads that sleep until helpers have left
  std::atomic<u64> posts_{0};    ///< changes with every job
  std::atomic<u32> running_{0};  ///< unfinished jobs
  u32 threads_ = 0, asleep_ = 0;
};

}  // namespace heddle::machine
