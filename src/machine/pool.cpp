// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pool.h"

#include <chrono>
#include <thread>

#include "base/look_while.h"

namespace heddle::machine {
namespace {

constexpr std::chrono::microseconds kLookout{50};

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

void Pool::help(u32 number) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (Job* job = find()) {
      --job->wanted;
      ++job->inside;
      lock.unlock();
      (*job->work)(1 + number % job->helpers);
      lock.lock();
      if (--job->inside == 0) left_.notify_all();
      continue;
    }
    const u64 seen = posts_.load(std::memory_order_relaxed);
    const auto nothing_new = [&] { return posts_.load(std::memory_order_relaxed) == seen; };
    lock.unlock();
    look_while(kLookout, nothing_new);
    lock.lock();
    ++asleep_;
    posted_.wait(lock, [&] { return !nothing_new(); });
    --asleep_;
  }
}

}  // namespace heddle::machine
