// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiler control. Driver API 6.38, 6.39. This library attaches no profiler, so there is nothing
// to start or stop. The calls succeed, because programs make them around a region of interest.
#include "driver/api.h"
#include "driver/core/context/call.h"

using namespace heddle::driver;

CUresult cuProfilerStart() {
  return in_any_context([](Context&) { return CUDA_SUCCESS; });
}

CUresult cuProfilerStop() {
  return in_any_context([](Context&) { return CUDA_SUCCESS; });
}
