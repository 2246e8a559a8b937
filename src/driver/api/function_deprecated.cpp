// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching as before CUDA 4: block shape, shared memory and parameters are set on the function,
// one call at a time. Driver API 6.23.
#include <cstring>

#include "driver/api.h"
#include "driver/core/module/module.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

// The limit of a kernel's parameters (PTX ISA 5.1.6.1).
constexpr size_t kMostParameterBytes = 32764;

template <class Body>
CUresult with_old_launch(CUfunction handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto function = find_function(context, handle);
    return function ? function->old_launch(body) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult set_parameter(CUfunction handle, int offset, const void* value, size_t bytes) {
  return with_old_launch(handle, [&](Function::OldLaunch& launch) -> CUresult {
    if (!value || offset < 0 || bytes > kMostParameterBytes ||
        static_cast<size_t>(offset) > kMostParameterBytes - bytes) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const size_t end = static_cast<size_t>(offset) + bytes;
    if (launch.params.size() < end) launch.params.resize(end);
    std::memcpy(launch.params.data() + offset, value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launch(CUfunction handle, int width, int height, CUstream stream_handle) {
  return in_stream(stream_handle, [&](Context& context, Stream& stream) -> CUresult {
    const auto function = find_function(context, handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
    auto set = function->old_launch([](Function::OldLaunch& launch) { return launch; });
    size_t bytes = set.params.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, set.params.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &bytes, CU_LAUNCH_PARAM_END};
    const LaunchRequest request{
        .grid = {static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
        .block = set.block,
        .dynamic_shared = set.shared,
        .extra = extra};
    KernelTask task;
    if (const CUresult bad = make_kernel(context, handle, request, task)) return bad;
    return submit(context, stream, std::move(task));
  });
}

}  // namespace

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  return with_old_launch(hfunc, [&](Function::OldLaunch& launch) -> CUresult {
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    launch.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return with_old_launch(hfunc, [&](Function::OldLaunch& launch) {
    launch.shared = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  return with_old_launch(hfunc, [&](Function::OldLaunch& launch) -> CUresult {
    if (numbytes > kMostParameterBytes) return CUDA_ERROR_INVALID_VALUE;
    launch.params.resize(numbytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  return set_parameter(hfunc, offset, ptr, numbytes);
}

CUresult cuLaunch(CUfunction f) { return launch(f, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return launch(f, grid_width, grid_height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return launch(f, grid_width, grid_height, hStream);
}

// Banks of shared memory have one width, as on every device since compute capability 5.0.
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  return with_old_launch(hfunc, [&](Function::OldLaunch&) -> CUresult {
    const bool known = config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                       config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
