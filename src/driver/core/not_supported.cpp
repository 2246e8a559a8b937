// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See not_supported.h.
#include "driver/core/not_supported.h"

#include <cstdio>

namespace heddle::driver {

CUresult NotSupported::report() {
  if (!said_.exchange(true)) std::fprintf(stderr, "heddle: %s is not supported yet\n", function_);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace heddle::driver
