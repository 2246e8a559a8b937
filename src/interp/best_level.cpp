// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>

#include "interp/level.h"

namespace heddle::interp {

const Level& level_v3();
const Level& level_v4();

const Level& best_level() {
  static const Level& best = []() -> const Level& {
    [[maybe_unused]] const char* wanted = std::getenv("HEDDLE_CPU");
    [[maybe_unused]] const auto allowed = [wanted](const char* level) {
      return !wanted || std::strcmp(wanted, level) >= 0;  // "baseline" < "v3" < "v4"
    };
#ifdef HEDDLE_HAS_LEVEL_V4
    if (allowed("v4") && __builtin_cpu_supports("x86-64-v4")) return level_v4();
#endif
#ifdef HEDDLE_HAS_LEVEL_V3
    if (allowed("v3") && __builtin_cpu_supports("x86-64-v3")) return level_v3();
#endif
    return level_baseline();
  }();
  return best;
}

}  // namespace heddle::interp
