// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the lane tables of the families into one. Compiled once per level.
#include "interp/level_lanes.h"

#include <vector>

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

#define HEDDLE_LANE_FAMILY(family, base, count) extern const Handlers lanes_##family[count];
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY

std::span<const Handlers> lane_table() {
  static const std::vector<Handlers> table = [] {
    std::vector<Handlers> all;
#define HEDDLE_LANE_FAMILY(family, base, count) \
  all.insert(all.end(), lanes_##family, lanes_##family + (count));
#include "isa/lane_families.inc"
#undef HEDDLE_LANE_FAMILY
    return all;
  }();
  return table;
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
