// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memsets: 8, 16 and 32-bit values, in one row or in rows with a pitch. Driver API 6.13.
#pragma once

#include "driver/core/context/context.h"

namespace heddle::driver {

struct FillTask {
  ContextPtr context;
  CUDA_MEMSET_NODE_PARAMS params;  ///< width in elements, pitch in bytes
};

/// CUDA_ERROR_INVALID_VALUE when the elements leave their allocation or are not aligned.
CUresult check(const FillTask& task);
void run(const FillTask& task);

}  // namespace heddle::driver
