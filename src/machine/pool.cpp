// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pool.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/look_while.h"

namespace heddle::machine {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a helper at least and at most looks for the next job before it sleeps.
constexpr std::chrono::microseconds kLookout{50}, kLongestLookout{1000};

}  // namespace

Pool& Pool::of_process() {
  static Pool& pool = *new Pool;
  return pool;
}

void Pool::run(u32 helpers, const std::function<void(u32)>& work) {
  Job job{&work, helpers, helpers, {0}};
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    for (; threads_ < helpers; ++threads_)
      std::thread([this, number = threads_] { help(number); }).detach();
    jobs_.push_back(&job);
    posts_.fetch_add(1, std::memory_order_relaxed);
    wakes = asleep_ != 0;
  }
  if (wakes) posted_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  jobs_.remove(&job);
  lock.unlock();
  look_while(kLookout, [&] { return job.inside.load(std::memory_order_relaxed) != 0; });
  lock.lock();
  left_.wait(lock, [&] { return job.inside == 0; });
}

/// A job that wants help; null: none does. The lock is held.
Pool::Job* Pool::find() {
  for (Job* job : jobs_) {
    if (job->wanted) return job;
  }
  return nullptr;
}

/// A helper that has worked for long looks for as long: those that it helped are perhaps not done
/// yet, and then come with the next launch. To wake it then takes a virtual machine milliseconds.
void Pool::help(u32 number) {
  std::chrono::microseconds worked{0};
  std::unique_lock lock(mutex_);
  while (true) {
    if (Job* job = find()) {
      --job->wanted;
      ++job->inside;
      lock.unlock();
      const auto begin = Clock::now();
      (*job->work)(1 + number % job->helpers);
      worked = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
      lock.lock();
      if (--job->inside == 0) left_.notify_all();
      continue;
    }
    const u64 seen = posts_.load(std::memory_order_relaxed);
    const auto nothing_new = [&] { return posts_.load(std::memory_order_relaxed) == seen; };
    lock.unlock();
    look_while(std::clamp(worked, kLookout, kLongestLookout), nothing_new);
    lock.lock();
    ++asleep_;
    posted_.wait(lock, [&] { return !nothing_new(); });
    --asleep_;
    worked = {};
  }
}

}  // namespace heddle::machine
