// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of lane functions of one CPU level, by isa::dispatch_index.
#pragma once

#include <span>

#include "interp/op.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

std::span<const Handlers> lane_table();

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
