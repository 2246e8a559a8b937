// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects. Driver API 6.16.
#include "driver/core/multicast.h"

#include "driver/api.h"
#include "driver/core/in_stream.h"

using namespace heddle::driver;
using heddle::u64;

namespace {

template <class Body>
CUresult with_multicast(CUmemGenericAllocationHandle handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto multicast = state().multicasts.find(handle);
    return multicast ? body(*multicast) : CUDA_ERROR_INVALID_VALUE;
  });
}

bool can_multicast(const Device& device) {
  return device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED).value_or(0) != 0;
}

CUresult check(const CUmulticastObjectProp* properties) {
  if (!properties || properties->flags) return CUDA_ERROR_INVALID_VALUE;
  if (!properties->numDevices || properties->numDevices > state().devices.size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool by_file = !(properties->handleTypes & ~u64{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR});
  const bool can = can_multicast(*state().devices.front()) && by_file;
  return can ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* mcHandle,
                           const CUmulticastObjectProp* prop) {
  return in_driver([&]() -> CUresult {
    if (!mcHandle) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check(prop)) return bad;
    if (!prop->size || prop->size % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    auto multicast = Multicast::create(*prop);
    if (!multicast) return CUDA_ERROR_OUT_OF_MEMORY;
    *mcHandle = state().multicasts.add(std::move(multicast));
    return CUDA_SUCCESS;
  });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev) {
  return with_multicast(mcHandle, [&](Multicast& multicast) -> CUresult {
    Device* const added = device(dev);
    return added ? multicast.add(*added) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                            CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
                            unsigned long long flags) {
  return with_multicast(mcHandle, [&](Multicast& multicast) -> CUresult {
    const auto memory = state().physical.find(memHandle);
    if (!memory || !memory->device() || flags || memOffset % kGranularity ||
        memOffset > memory->size() || size > memory->size() - memOffset) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    multicast.wait_for_team("cuMulticastBindMem");
    return multicast.bind(mcOffset, size,
                          {.device = memory->device(), .memory = memory, .offset = memOffset});
  });
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
  return with_multicast(mcHandle, [&](Multicast& multicast) -> CUresult {
    if (flags || memptr % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    MulticastSource source;
    const auto mapped = state().virtual_memory.locate(memptr);
    if (mapped.memory) {
      if (size > mapped.room) return CUDA_ERROR_INVALID_VALUE;
      source = {
          .device = mapped.memory->device(), .memory = mapped.memory, .offset = mapped.offset};
    } else {  // of cuMemAllocAsync, or nothing that can be bound
      const auto found = state().allocations.find(memptr);
      if (!found || !found->pool || size > found->base + found->size - memptr) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      source = {.device = found->device, .address = memptr};
    }
    if (!source.device) return CUDA_ERROR_INVALID_VALUE;
    multicast.wait_for_team("cuMulticastBindAddr");
    return multicast.bind(mcOffset, size, source);
  });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                           size_t size) {
  return with_multicast(mcHandle, [&](Multicast& multicast) -> CUresult {
    Device* const member = device(dev);
    return member ? multicast.unbind(*member, mcOffset, size) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuMulticastGetGranularity(size_t* granularity, const CUmulticastObjectProp* prop,
                                   CUmulticastGranularity_flags option) {
  return in_driver([&]() -> CUresult {
    if (const CUresult bad = check(prop)) return bad;
    if (option != CU_MULTICAST_GRANULARITY_MINIMUM &&
        option != CU_MULTICAST_GRANULARITY_RECOMMENDED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return give<size_t>(granularity, kGranularity);
  });
}
