// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver API 6.3.
#include "driver/api.h"
#include "driver/core/process.h"

CUresult cuInit(unsigned int Flags) {
  return Flags ? CUDA_ERROR_INVALID_VALUE : heddle::driver::initialize();
}
