// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/cpu_level.h"
#include "interp/level.h"

namespace heddle::interp {

const Level& level_v3();
const Level& level_v4();

const Level& best_level() {
  static const Level& best = []() -> const Level& {
    [[maybe_unused]] const CpuLevel usable = usable_cpu_level();
#ifdef HEDDLE_HAS_LEVEL_V4
    if (usable >= CpuLevel::v4) return level_v4();
#endif
#ifdef HEDDLE_HAS_LEVEL_V3
    if (usable >= CpuLevel::v3) return level_v3();
#endif
    return level_baseline();
  }();
  return best;
}

}  // namespace heddle::interp
