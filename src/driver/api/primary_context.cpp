// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Primary contexts: each device has one, which all callers that retain it share. Driver API 6.7.
#include <bit>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"

using namespace heddle::driver;

namespace {

CUresult release(CUdevice dev) {
  return with_device(dev, [](Device& device) -> CUresult {
    return release_primary(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}

CUresult reset(CUdevice dev) {
  return with_device(dev, [](Device& device) -> CUresult {
    const std::lock_guard lock(device.primary_mutex);
    auto& primary = device.primary;
    if (!primary.context) return CUDA_SUCCESS;
    primary.context->reset();
    // Callers that have retained the context keep a live one.
    if (primary.retained) primary.context->revive(primary.flags);
    return CUDA_SUCCESS;
  });
}

CUresult set_flags(CUdevice dev, unsigned flags) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) ||
        std::popcount(flags & CU_CTX_SCHED_MASK) > 1) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const std::lock_guard lock(device.primary_mutex);
    device.primary.flags = flags;
    if (device.primary.retained) device.primary.context->set_flags(flags);
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    *pctx = retain_primary(device)->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) { return release(dev); }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) { return release(dev); }
CUresult cuDevicePrimaryCtxReset(CUdevice dev) { return reset(dev); }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) { return reset(dev); }
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return set_flags(dev, flags);
}
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
  return set_flags(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(device.primary_mutex);
    *flags = device.primary.flags;
    *active = device.primary.retained > 0;
    return CUDA_SUCCESS;
  });
}
