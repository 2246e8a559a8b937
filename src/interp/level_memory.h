// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of addresses, loads, stores and atomics of one CPU level.
#pragma once

#include "interp/level.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

void fill_memory(Level& level);
/// Adds the handlers of whole warps.
void fill_full_memory(Level& level);

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
