// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiler control. Driver API 6.38, 6.39. No profiler is attached through this library, so there
// is nothing to start or stop; programs bracket a region of interest and must be able to go on.
#include "driver/api.h"
#include "driver/core/context/call.h"

using namespace heddle::driver;

CUresult cuProfilerStart() {
  return in_any_context([](Context&) { return CUDA_SUCCESS; });
}

CUresult cuProfilerStop() {
  return in_any_context([](Context&) { return CUDA_SUCCESS; });
}
