// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <string_view>

#include "interp/level.h"

namespace heddle::interp {

const Level& level_v3();
const Level& level_v4();

const Level& best_level() {
  static const Level& best = []() -> const Level& {
    const char* text = std::getenv("HEDDLE_CPU");
    const std::string_view wanted = text ? text : "";
    [[maybe_unused]] const bool wants_v3 = wanted != "baseline";
    [[maybe_unused]] const bool wants_v4 = wants_v3 && wanted != "v3";
#ifdef HEDDLE_HAS_LEVEL_V4
    if (wants_v4 && __builtin_cpu_supports("x86-64-v4")) return level_v4();
#endif
#ifdef HEDDLE_HAS_LEVEL_V3
    if (wants_v3 && __builtin_cpu_supports("x86-64-v3")) return level_v3();
#endif
    return level_baseline();
  }();
  return best;
}

}  // namespace heddle::interp
