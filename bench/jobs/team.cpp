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

Team::Team(int threads) : parts_(threads) {
  for (int i = 1; i < threads; ++i) others_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  ended_ = true;
  turn_.fetch_add(1);
  turn_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::start(Work work, const void* of, long count) {
  work_ = work;
  of_ = of;
  for (int i = 0; i < threads(); ++i) {
    parts_[i].next.store(count * i / threads(), std::memory_order_relaxed);
    parts_[i].end = count * (i + 1) / threads();
  }
  if (threads() > 1 && count > 1) {
    open_.store(true);
    turn_.fetch_add(1);
    turn_.notify_all();
  }
  work_on(0);
  open_.store(false);
  for (int spin = 0; inside_.load() != 0; ++spin) {
    if (spin < 1000) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void Team::work_on(int part) {
  for (int i = 0; i < threads(); ++i) {
    Part& of = parts_[(part + i) % threads()];
    for (long at; (at = of.next.fetch_add(1, std::memory_order_relaxed)) < of.end;) work_(of_, at);
  }
}

void Team::serve(int thread) {
  for (unsigned seen = 0;;) {
    for (int spin = 0; spin < kSpins && turn_.load() == seen; ++spin) pause();
    turn_.wait(seen);
    seen = turn_.load();
    if (ended_) return;
    inside_.fetch_add(1);
    if (open_.load()) work_on(thread);
    inside_.fetch_sub(1);
  }
}

}  // namespace heddle::bench
