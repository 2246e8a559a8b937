// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See not_supported.h.
#include "driver/core/not_supported.h"

#include "driver/core/log.h"

namespace heddle::driver {

CUresult NotSupported::report() {
  if (!said_.exchange(true)) say("{} is not supported yet", function_);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace heddle::driver
