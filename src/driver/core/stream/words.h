// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream memory operations. Driver API 6.21.
#pragma once

#include "driver/core/stream/task.h"

namespace heddle::driver {

/// Operations that one batch may have (6.21, cuStreamBatchMemOp).
inline constexpr unsigned kMostWords = 256;

/// CUDA_ERROR_INVALID_VALUE when a word does not lie in memory of a device, or its flags do not
/// exist.
CUresult check(const WordsTask& task);
void run(const WordsTask& task);

}  // namespace heddle::driver
