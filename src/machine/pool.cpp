// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pool.h"

#include <chrono>
#include <thread>

#include "base/look_while.h"

namespace heddle::machine {
namespace {

/// How long a helper looks for the next job before it sleeps, and how long who has finished looks
/// at others finish their parts.
constexpr std::chrono::microseconds kLookout{50}, kLongestFinish{1000};

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
    running_.fetch_add(1, std::memory_order_relaxed);
    wakes = asleep_ != 0;
  }
  if (wakes) posted_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  jobs_.remove(&job);
  lock.unlock();
  look_while(kLongestFinish, [&] { return job.inside.load(std::memory_order_relaxed) != 0; });
  lock.lock();
  left_.wait(lock, [&] { return job.inside == 0; });
  running_.fetch_sub(1, std::memory_order_relaxed);
}

/// A job that wants help; null: none does. The lock is held.
Pool::Job* Pool::find() {
  for (Job* job : jobs_) {
    if (job->wanted) return job;
  }
  return nullptr;
}

/// Who finds nothing to do while others finish their parts stays awake: the next job comes right
/// after that, and to wake a thread takes a virtual machine milliseconds.
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
    const auto finishing = [&] { return running_.load(std::memory_order_relaxed) != 0; };
    look_while(kLongestFinish, [&] { return nothing_new() && finishing(); });
    look_while(kLookout, nothing_new);
    lock.lock();
    ++asleep_;
    posted_.wait(lock, [&] { return !nothing_new(); });
    --asleep_;
  }
}

}  // namespace heddle::machine
