// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/membermask.h"

#include <fmt/format.h>

namespace heddle::machine {

std::string describe_unnamed_thread(u32 membermask, u32 lane) {
  return fmt::format(
      "the membermask {:#010x} does not name this thread, lane {} of its warp: what that does is "
      "undefined (HEDDLE_MEMBERMASK=gpu does what a GPU does)",
      membermask, lane);
}

std::string describe_other_mask(u32 membermask, u32 other, u32 other_mask) {
  return fmt::format(
      "the membermask {:#010x} names lane {}, which executes the instruction together with this "
      "thread but has the membermask {:#010x}: what that does is undefined "
      "(HEDDLE_MEMBERMASK=gpu does what a GPU does)",
      membermask, other, other_mask);
}

}  // namespace heddle::machine
