// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the run-time that compiled code calls.
#pragma once

#include <array>

#include "jit/context.h"

namespace heddle::jit {

/// By HelperId.
extern const std::array<Helper, kHelpers> kHelperTable;

}  // namespace heddle::jit
