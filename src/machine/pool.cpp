// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pool.h"

#include <algorithm>
#include <chrono>

#include "base/quiet_thread.h"
#include "base/spin_then_lock.h"

namespace heddle::machine {
namespace {

/// How long a helper spins for the next job before it sleeps, and how long a thread that has
/// finished its part spins until the others have finished.
constexpr std::chrono::microseconds kSpin{50}, kLongestFinish{1000};

}  // namespace

thread_local int PoolPriority::current = 0;

Pool& Pool::of_process() {
  static Pool& pool = *new Pool;
  return pool;
}

void Pool::run(u32 helpers, const std::function<void(u32)>& work) {
  Job job{&work, helpers, helpers, PoolPriority::here(), {0}};
  bool wakes = false;
  {
    const auto lock = spin_then_lock(mutex_);
    for (; threads_ < helpers; ++threads_)
      start_quiet_thread([this, number = threads_] { help(number); });
    const auto after =
        std::ranges::find_if(jobs_, [&](const Job* one) { return one->priority > job.priority; });
    jobs_.insert(after, &job);
    wanted_.fetch_add(helpers, std::memory_order_relaxed);
    posts_.fetch_add(1, std::memory_order_relaxed);
    running_.fetch_add(1, std::memory_order_relaxed);
    wakes = asleep_ != 0;
  }
  if (wakes) posted_.notify_all();
  work(0);
  {
    const auto lock = spin_then_lock(mutex_);
    jobs_.remove(&job);
    wanted_.fetch_sub(job.wanted, std::memory_order_relaxed);
  }
  const auto is_helped = [&] { return job.inside.load(std::memory_order_acquire) != 0; };
  spin_while(kLongestFinish, is_helped);
  if (is_helped()) {
    std::unique_lock lock(mutex_);
    waits_.fetch_add(1);
    left_.wait(lock, [&] { return job.inside.load() == 0; });
    waits_.fetch_sub(1);
  }
  running_.fetch_sub(1, std::memory_order_relaxed);
}

/// Takes part in a job that needs a helper. False: there is none.
bool Pool::join(u32 number) {
  if (wanted_.load(std::memory_order_relaxed) == 0) return false;
  auto lock = spin_then_lock(mutex_);
  const auto found = std::ranges::find_if(jobs_, [](const Job* one) { return one->wanted != 0; });
  if (found == jobs_.end()) return false;
  Job& job = **found;
  --job.wanted;
  wanted_.fetch_sub(1, std::memory_order_relaxed);
  job.inside.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  (*job.work)(1 + number % job.helpers);
  // The job may be gone after the decrement; a thread that sleeps until it is done has incremented
  // waits_ before it read `inside`.
  if (job.inside.fetch_sub(1) == 1 && waits_.load() != 0) {
    lock.lock();
    left_.notify_all();
  }
  return true;
}

/// The loop of a helper. While other threads finish their parts of a job, a helper without work
/// spins: the next job is posted right after that, and waking a thread takes milliseconds on a
/// virtual machine.
void Pool::help(u32 number) {
  while (true) {
    const u64 seen = posts_.load(std::memory_order_relaxed);
    if (join(number)) continue;
    const auto nothing_new = [&] { return posts_.load(std::memory_order_relaxed) == seen; };
    const auto finishing = [&] { return running_.load(std::memory_order_relaxed) != 0; };
    spin_while(kLongestFinish, [&] { return nothing_new() && finishing(); });
    spin_while(kSpin, nothing_new);
    if (!nothing_new()) continue;
    std::unique_lock lock(mutex_);
    ++asleep_;
    posted_.wait(lock, [&] { return !nothing_new(); });
    --asleep_;
  }
}

}  // namespace heddle::machine
