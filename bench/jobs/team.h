// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of native code. They wait for the next piece of work by spinning, for about as long
// as a launch may be away, and only then sleep; nobody waits for one that has not come yet. Native
// code shall not lose time to waking threads, nor to a busy machine.
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

  /// work(i) for i in [0, count). Each thread has a part, the same one every time, then helps
  /// others.
  template <class F>
  void each(long count, const F& work) {
    start([](const void* f, long i) { (*static_cast<const F*>(f))(i); }, &work, count);
  }
  /// work(begin, end) over [0, count) in a few pieces for each thread, cut at multiples of `grain`.
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
  alignas(64) std::atomic<bool> open_{false};  ///< whoever comes now may take part
  alignas(64) std::atomic<int> inside_{0};
  std::vector<std::thread> others_;
};

}  // namespace heddle::bench
