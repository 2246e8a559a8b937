// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The superinstructions of one CPU level.
#pragma once

#include "interp/joined.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

const JoinedHandlers& joined_handlers();

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
