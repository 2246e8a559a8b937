// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver API 6.4.
#include "base/cuda_version.h"

#include "driver/api.h"

CUresult cuDriverGetVersion(int* driverVersion) {
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = heddle::kCudaVersion;
  return CUDA_SUCCESS;
}
