// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory management. Driver API 6.14.
#include <fcntl.h>

#include <cstdint>

#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/memory/multicast.h"
#include "driver/core/memory/tables.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

/// Runs `body(device)` for properties that make sense; null for memory of the host.
template <class Body>
CUresult with_properties(const CUmemAllocationProp* properties, Body body) {
  return in_driver([&]() -> CUresult {
    if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    constexpr unsigned kKnown = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR |
                                CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT |
                                CU_MEM_HANDLE_TYPE_FABRIC;
    const auto types = static_cast<unsigned>(properties->requestedHandleTypes);
    if (types & ~kKnown) return CUDA_ERROR_INVALID_VALUE;
    if (types & ~unsigned{CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR}) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    switch (properties->location.type) {
      case CU_MEM_LOCATION_TYPE_DEVICE: {
        Device* device = heddle::driver::device(properties->location.id);
        return device ? body(device) : CUDA_ERROR_INVALID_DEVICE;
      }
      case CU_MEM_LOCATION_TYPE_HOST:
        return types ? CUDA_ERROR_INVALID_VALUE : body(static_cast<Device*>(nullptr));
      case CU_MEM_LOCATION_TYPE_HOST_NUMA:
      case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return body(static_cast<Device*>(nullptr));
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

template <class Body>
CUresult with_memory(CUmemGenericAllocationHandle handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto memory = memory_tables().physical.find(handle);
    return memory ? body(memory) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult add(const PhysicalPtr& memory, CUmemGenericAllocationHandle* handle) {
  memory->handle = memory_tables().physical.add(memory);
  *handle = memory->handle;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemAddressReserve(CUdeviceptr* ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags) {
  return in_driver([&]() -> CUresult {
    if (!ptr || flags) return CUDA_ERROR_INVALID_VALUE;
    heddle::u64 base = 0;
    const CUresult result = virtual_memory().reserve(size, alignment, addr, base);
    if (result == CUDA_SUCCESS) *ptr = base;
    return result;
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return in_driver([&] { return virtual_memory().free(ptr, size); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                     const CUmemAllocationProp* prop, unsigned long long flags) {
  return with_properties(prop, [&](Device* device) -> CUresult {
    if (!handle || flags || !size || size % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    if (prop->allocFlags.usage) return CUDA_ERROR_NOT_SUPPORTED;
    const auto memory = Physical::create(device, *prop, size);
    return memory ? add(memory, handle) : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return in_driver([&]() -> CUresult {
    if (memory_tables().multicasts.remove(handle)) return CUDA_SUCCESS;
    const auto memory = memory_tables().physical.find(handle);
    if (!memory) return CUDA_ERROR_INVALID_VALUE;
    if (--memory->references == 0) memory_tables().physical.remove(handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return in_driver([&]() -> CUresult {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (const auto memory = memory_tables().physical.find(handle)) {
      return virtual_memory().map(ptr, size, offset, memory);
    }
    const auto multicast = memory_tables().multicasts.find(handle);
    if (!multicast) return CUDA_ERROR_INVALID_VALUE;
    multicast->wait_for_team("cuMemMap");
    return virtual_memory().map(ptr, size, offset, multicast);
  });
}

// Kernels under way may still use the range.
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return in_driver([&] {
    for (const auto& context : context_tables().contexts.all()) context->synchronize();
    return virtual_memory().unmap(ptr, size);
  });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count) {
  return in_driver([&] { return virtual_memory().set_access(ptr, size, desc, count); });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr) {
  return in_driver([&]() -> CUresult {
    if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
    return virtual_memory().get_access(ptr, *location, *flags);
  });
}

// The file descriptor belongs to the program, which may send it to another process.
CUresult cuMemExportToShareableHandle(void* shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags) {
  return in_driver([&]() -> CUresult {
    const auto memory = memory_tables().physical.find(handle);
    const auto multicast = memory_tables().multicasts.find(handle);
    if ((!memory && !multicast) || !shareableHandle || flags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_handle_type(handleType)) return bad;
    const bool shares =
        memory ? memory->properties().requestedHandleTypes & handleType : multicast->is_shareable();
    if (!shares) return CUDA_ERROR_INVALID_VALUE;
    const int file = memory ? fcntl(memory->file(), F_DUPFD_CLOEXEC, 0) : multicast->export_file();
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *static_cast<int*>(shareableHandle) = file;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  return in_driver([&]() -> CUresult {
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_handle_type(shHandleType)) return bad;
    const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(osHandle));
    if (const auto memory = Physical::import(file)) return add(memory, handle);
    auto multicast = Multicast::import(file);
    if (!multicast) return CUDA_ERROR_INVALID_VALUE;
    *handle = memory_tables().multicasts.add(std::move(multicast));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                       CUmemAllocationGranularity_flags option) {
  return with_properties(prop, [&](Device*) -> CUresult {
    if (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
        option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return give<size_t>(granularity, kGranularity);
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* prop,
                                                CUmemGenericAllocationHandle handle) {
  return with_memory(handle,
                     [&](const PhysicalPtr& memory) { return give(prop, memory->properties()); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* addr) {
  return in_driver([&]() -> CUresult {
    const auto memory = virtual_memory().locate(reinterpret_cast<heddle::u64>(addr)).memory;
    if (!handle || !memory) return CUDA_ERROR_INVALID_VALUE;
    if (!memory_tables().physical.find(memory->handle)) {
      memory->references = 0;  // the program had released the handle, but a mapping kept the memory
      memory->handle = memory_tables().physical.add(memory);
    }
    ++memory->references;
    *handle = memory->handle;
    return CUDA_SUCCESS;
  });
}
