// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about managed memory. Driver API 6.17. There is one memory, so it is never far away: a
// valid hint is accepted and has nothing to do.
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

CUresult check_range(CUdeviceptr address, size_t bytes) {
  const auto found = state().allocations.find(address);
  const bool managed = found && found->kind == Allocation::Kind::managed;
  return managed && bytes && is_device_range(address, bytes) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
}

CUresult check_location(const CUmemLocation& location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return device(location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUmemLocation location_of(CUdevice device) {
  if (device == CU_DEVICE_CPU) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

}  // namespace

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  return in_context([&](Context& context) -> CUresult {
    if (!context.stream(hStream)) return CUDA_ERROR_INVALID_HANDLE;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_location(location)) return bad;
    return check_range(devPtr, count);
  });
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(devPtr, count, advice, location_of(device));
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                        CUmemLocation location) {
  return in_context([&](Context&) -> CUresult {
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const bool needs_location = advice >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION &&
                                advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    if (needs_location) {
      if (const CUresult bad = check_location(location)) return bad;
    }
    return check_range(devPtr, count);
  });
}
