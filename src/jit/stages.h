// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stages of a compilation cost. CPU time of this thread: others may want the processor.
#pragma once

#include <algorithm>
#include <ctime>
#include <string_view>
#include <vector>

namespace heddle::jit {

struct Stage {
  const char* name;
  double seconds;
};

class StageClock {
 public:
  explicit StageClock(std::vector<Stage>& stages) : stages_(stages), last_(now()) {}
  /// What was done since the last call, or since the clock was made, was this stage. What stages of
  /// one name take is added up.
  void end(const char* name) {
    const double time = now();
    const auto known = std::find_if(stages_.begin(), stages_.end(), [&](const Stage& stage) {
      return std::string_view(stage.name) == name;
    });
    if (known != stages_.end())
      known->seconds += time - last_;
    else
      stages_.push_back({name, time - last_});
    last_ = time;
  }
  /// What was done since the last call belongs to no stage.
  void restart() { last_ = now(); }

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
