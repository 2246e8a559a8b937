// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU time that the stages of a compilation take on this thread, not wall time: others may use
// the processor.
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

class StageTimer {
 public:
  explicit StageTimer(std::vector<Stage>& stages) : stages_(stages), last_(now()) {}
  /// Adds the time since the last call, or since construction, to the stage of that name.
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
  /// The time since the last call belongs to no stage.
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
