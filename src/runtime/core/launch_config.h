// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch configuration of the runtime as one of the driver.
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// Attributes have the same layout in both interfaces, so the driver reads them where they are.
cudaError_t translate(const cudaLaunchConfig_t& config, CUlaunchConfig& out);

}  // namespace heddle::runtime
