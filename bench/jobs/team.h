// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of native code. They spin for the next piece of work, longer than the usual time
// between two launches, before they sleep, and a piece of work does not wait for threads that have
// not joined it. So native code does not lose time by waking threads, or by a busy machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace heddle::bench {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls work(i) for i in [0, count). Each thread has a part, the same one every time, and then
  /// helps others.
  template <class F>
  void each(long count, const F& work) {
    start([](const void* f, long i) { (*static_cast<const F*>(f))(i); }, &work, count);
  }
  /// Calls work(begin, end) over [0, count) in a few pieces for each thread, split at multiples of
  /// `grain`.
  template <class F>
  void split(long count, long grain, const F& work) {
    const long grains = (count + grain - 1) / grain;
    const long pieces = threads() == 1 ? 1 : std::min<long>(grains, 4 * threads());
    each(pieces, [&](long i) {
      const long begin = grains * i / pieces * grain;
      const long end = std::min(count, grains * (i + 1) / pieces * grain);
      work(begin, end);
    });
  }
  int threads() const { return static_cast<int>(parts_.size()); }

 private:
  using Work = void (*)(const void*, long);
  struct alignas(64) Part {
    std::atomic<long> next{0};
    long end = 0;
  };
  void start(Work work, const void* of, long count);
  void work_on(int part);
  void serve(int thread);

  Work work_ = nullptr;
  const void* of_ = nullptr;
  bool ended_ = false;
  std::vector<Part> parts_;
  alignas(64) std::atomic<unsigned> turn_{0};
  alignas(64) std::atomic<bool> open_{false};  ///< threads may join the current piece of work
  alignas(64) std::atomic<int> inside_{0};
  std::vector<std::thread> others_;
};

}  // namespace heddle::bench
