// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of native code. They wait for the next piece of work by spinning, for about as long
// as a launch may be away, and only then sleep: native code shall not lose time to waking threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

namespace heddle::bench {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// work(thread) on each thread; thread 0 is the caller.
  template <class F>
  void run(const F& work) {
    start([](const void* f, int thread) { (*static_cast<const F*>(f))(thread); }, &work);
  }
  /// work(begin, end) over [0, count) in one piece for each thread, cut at multiples of `grain`.
  template <class F>
  void split(long count, long grain, const F& work) {
    const long grains = (count + grain - 1) / grain;
    run([&](int thread) {
      const long begin = grains * thread / threads_ * grain;
      const long end = std::min(count, grains * (thread + 1) / threads_ * grain);
      if (begin < end) work(begin, end);
    });
  }
  /// work(i) for i in [0, count), to whoever is free: for pieces of unequal length.
  template <class F>
  void each(long count, const F& work) {
    std::atomic<long> next{0};
    run([&](int) {
      for (long i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
    });
  }
  int threads() const { return threads_; }

 private:
  using Work = void (*)(const void*, int);
  void start(Work work, const void* of);
  void serve(int thread);

  const int threads_;
  Work work_ = nullptr;
  const void* of_ = nullptr;
  alignas(64) std::atomic<unsigned> turn_{0};
  alignas(64) std::atomic<int> running_{0};
  bool ended_ = false;
  std::vector<std::thread> others_;
};

}  // namespace heddle::bench
