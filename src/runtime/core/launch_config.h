// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a launch configuration of the runtime to one of the driver.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// Attributes have the same layout in both interfaces, so they are not copied.
cudaError_t translate(const cudaLaunchConfig_t& config, CUlaunchConfig& out);

}  // namespace heddle::runtime
