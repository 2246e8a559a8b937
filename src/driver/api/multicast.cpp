// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects. Driver API 6.16.
#include "driver/core/memory/multicast.h"

#include "driver/api.h"
#include "driver/core/context/device.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/tables.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/process.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;
using heddle::u64;

namespace {

template <class Body>
CUresult with_multicast(CUmemGenericAllocationHandle handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto multicast = memory_tables().multicasts.find(handle);
    return multicast ? body(*multicast) : CUDA_ERROR_INVALID_VALUE;
  });
}

bool can_multicast(const Device& device) {
  return device_attribute(device, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED).value_or(0) != 0;
}

CUresult check(const CUmulticastObjectProp* properties) {
  if (!properties || properties->flags) return CUDA_ERROR_INVALID_VALUE;
  if (!properties->numDevices || properties->numDevices > devices().size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool by_file = !(properties->handleTypes & ~u64{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR});
  const bool can = can_multicast(*devices().front()) && by_file;
  return can ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/// `on`: the device whose memory this must be; null: any device.
CUresult bind(Multicast& multicast, const Device* on, size_t offset, size_t size,
              const MulticastSource& source, const char* function) {
  if (!source.device || (on && source.device != on)) return CUDA_ERROR_INVALID_VALUE;
  multicast.wait_for_team(function);
  return multicast.bind(offset, size, source);
}

CUresult bind_memory(CUmemGenericAllocationHandle handle, const Device* on, size_t offset,
                     CUmemGenericAllocationHandle memory_handle, size_t memory_offset, size_t size,
                     unsigned long long flags) {
  return with_multicast(handle, [&](Multicast& multicast) -> CUresult {
    const auto memory = memory_tables().physical.find(memory_handle);
    if (!memory || flags || memory_offset % kGranularity || memory_offset > memory->size() ||
        size > memory->size() - memory_offset) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return bind(multicast, on, offset, size,
                {.device = memory->device(), .memory = memory, .offset = memory_offset},
                "cuMulticastBindMem");
  });
}

CUresult bind_address(CUmemGenericAllocationHandle handle, const Device* on, size_t offset,
                      CUdeviceptr address, size_t size, unsigned long long flags) {
  return with_multicast(handle, [&](Multicast& multicast) -> CUresult {
    if (flags || address % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    MulticastSource source;
    const auto mapped = virtual_memory().locate(address);
    if (mapped.memory) {
      if (size > mapped.room) return CUDA_ERROR_INVALID_VALUE;
      source = {
          .device = mapped.memory->device(), .memory = mapped.memory, .offset = mapped.offset};
    } else {  // memory of cuMemAllocAsync; other memory cannot be bound
      const auto found = allocations().find(address);
      if (!found || !found->pool || found->is_managed() ||
          size > found->base + found->size - address) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      source = {.device = found->device, .address = address};
    }
    return bind(multicast, on, offset, size, source, "cuMulticastBindAddr");
  });
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
    *mcHandle = memory_tables().multicasts.add(std::move(multicast));
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
  return bind_memory(mcHandle, nullptr, mcOffset, memHandle, memOffset, size, flags);
}

CUresult cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset,
                               CUmemGenericAllocationHandle memHandle, size_t memOffset,
                               size_t size, unsigned long long flags) {
  return with_device(dev, [&](Device& device) {
    return bind_memory(mcHandle, &device, mcOffset, memHandle, memOffset, size, flags);
  });
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                             CUdeviceptr memptr, size_t size, unsigned long long flags) {
  return bind_address(mcHandle, nullptr, mcOffset, memptr, size, flags);
}

CUresult cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, CUdeviceptr memptr, size_t size,
                                unsigned long long flags) {
  return with_device(dev, [&](Device& device) {
    return bind_address(mcHandle, &device, mcOffset, memptr, size, flags);
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
