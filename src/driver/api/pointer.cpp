// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries about pointers. Driver API 6.17.
#include <cstring>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/context/tables.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/memory/virtual_memory.h"

using namespace heddle::driver;

namespace {

template <class T>
CUresult put(void* out, T value) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): the value may be a handle, a pointer itself
  std::memcpy(out, static_cast<const void*>(&value), sizeof(T));
  return CUDA_SUCCESS;
}

unsigned long long handle_types(CUdeviceptr ptr, const Allocation& found) {
  if (const auto memory = virtual_memory().locate(ptr).memory) {
    return memory->properties().requestedHandleTypes;
  }
  const bool exports = found.pool && found.pool->origin() == MemoryPool::Origin::exported;
  return exports ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
}

/// `found` is nothing when the pointer does not point to memory of the driver.
CUresult attribute(void* data, CUpointer_attribute which, CUdeviceptr ptr,
                   const std::optional<Allocation>& found) {
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  if (!found) return CUDA_ERROR_INVALID_VALUE;
  const bool host = found->is_host() || (!found->device && !found->is_managed());
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put<CUcontext>(data, found->owner ? found->owner->handle() : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(data, ptr);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      // CUDA gives the host no pointer to plain device memory, although here the host could access
      // it.
      if (!host && !found->is_managed()) return CUDA_ERROR_INVALID_VALUE;
      return put(data, reinterpret_cast<void*>(ptr));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put<unsigned long long>(data, found->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put<unsigned>(data, found->is_managed());
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(data, found->device ? found->device->ordinal : CU_DEVICE_INVALID);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put<CUdeviceptr>(data, found->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put<size_t>(data, found->size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put<unsigned>(data, found->sync_memops);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put<unsigned>(data, found->kind == Allocation::Kind::device && !found->pool);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<unsigned long long>(data, handle_types(ptr, *found));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put<unsigned>(data, found->is_read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                     : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put<size_t>(data, found->size);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put<CUdeviceptr>(data, found->base);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put<unsigned long long>(data, found->id);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put<CUmemoryPool>(data, found->pool ? found->pool->handle() : nullptr);
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return put<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// The values of cuPointerGetAttributes for a pointer that does not point to memory of the driver.
CUresult null_attribute(void* data, CUpointer_attribute which) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put<heddle::u64>(data, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(data, CU_DEVICE_INVALID);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put<unsigned>(data, 0);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return in_driver_or_host_function(
      [&] { return ::attribute(data, attribute, ptr, describe_memory(ptr)); });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr ptr) {
  return in_driver([&]() -> CUresult {
    if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    const auto found = describe_memory(ptr);
    for (unsigned i = 0; i < numAttributes; ++i) {
      if (!data[i]) return CUDA_ERROR_INVALID_VALUE;
      const CUresult result =
          found ? ::attribute(data[i], attributes[i], ptr, found) : CUDA_ERROR_INVALID_VALUE;
      if (result == CUDA_SUCCESS) continue;
      if (const CUresult bad = null_attribute(data[i], attributes[i])) return bad;
    }
    return CUDA_SUCCESS;
  });
}

// Only one attribute can be set: whether synchronous copies and memsets of this memory always wait.
// Setting it waits for the copies and memsets before.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return in_driver([&]() -> CUresult {
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
    unsigned wanted = 0;
    std::memcpy(&wanted, value, sizeof wanted);
    const bool set = allocations().change(
        ptr, [&](Allocation& allocation) { allocation.sync_memops = wanted != 0; });
    if (!set) return CUDA_ERROR_INVALID_VALUE;
    if (wanted) {
      for (const auto& context : context_tables().contexts.all()) context->synchronize();
    }
    return CUDA_SUCCESS;
  });
}
