// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stages of a compilation cost. CPU time of this thread: others may want the processor.
#pragma once

#include <ctime>
#include <vector>

namespace heddle::jit {

struct Stage {
  const char* name;
  double seconds;
};

class StageClock {
 public:
  explicit StageClock(std::vector<Stage>& stages) : stages_(stages), last_(now()) {}
  /// What was done since the last call, or since the clock was made, was this stage.
  void end(const char* name) {
    const double time = now();
    stages_.push_back({name, time - last_});
    last_ = time;
  }

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  std::vector<Stage>& stages_;
  double last_;
};

}  // namespace heddle::jit
