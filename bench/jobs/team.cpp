// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kSpins = 20'000;  // some 300 us

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(int threads) : threads_(threads) {
  for (int i = 1; i < threads; ++i) others_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  ended_ = true;
  turn_.fetch_add(1);
  turn_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::start(Work work, const void* of) {
  work_ = work;
  of_ = of;
  running_.store(threads_ - 1, std::memory_order_relaxed);
  turn_.fetch_add(1);
  turn_.notify_all();
  work(of, 0);
  while (running_.load(std::memory_order_acquire) != 0) pause();
}

void Team::serve(int thread) {
  for (unsigned seen = 0;;) {
    for (int spin = 0; spin < kSpins && turn_.load(std::memory_order_acquire) == seen; ++spin)
      pause();
    turn_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (ended_) return;
    work_(of_, thread);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace heddle::bench
