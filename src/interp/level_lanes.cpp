// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the lane tables of the families into one. Compiled once per level. A family that a level
// leaves out (see CMakeLists.txt) has the handlers of the baseline.
#include "interp/level_lanes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "interp/level.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

#define HEDDLE_LANE_FAMILY(family, base, count) extern const Handlers lanes_##family[count];
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY

constexpr std::string_view kLeftOut = HEDDLE_LEFT_OUT;

std::span<const Handlers> lane_table() {
  static const std::vector<Handlers> table = [] {
    std::vector<Handlers> all;
#ifndef HEDDLE_BASELINE_LEVEL
    const auto baseline = level_baseline().lanes;
    all.assign(baseline.begin(), baseline.end());
#endif
#define HEDDLE_LANE_FAMILY(family, base, count)                           \
  all.resize(std::max<std::size_t>(all.size(), (base) + (count)));        \
  if constexpr (kLeftOut.find("," #family ",") == std::string_view::npos) \
    std::copy_n(lanes_##family, count, &all[base]);
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY
    return all;
  }();
  return table;
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
