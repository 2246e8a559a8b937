// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream-ordered allocator. Driver API 6.15.
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_pool(CUmemoryPool handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto pool = state().pools.find(handle);
    return pool ? body(pool) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// The device's default pool, made on first use. Call with the device's pool mutex held.
CUmemoryPool default_pool(Device& device) {
  if (!device.default_pool) {
    device.default_pool = MemoryPool::create(device, 0);
  }
  return device.default_pool;
}

CUmemoryPool current_pool(Device& device) {
  const std::lock_guard lock(device.pool_mutex);
  return state().pools.find(device.current_pool) ? device.current_pool : default_pool(device);
}

CUresult set_current_pool(Device& device, CUmemoryPool handle) {
  const auto pool = state().pools.find(handle);
  if (!pool || &pool->device() != &device) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(device.pool_mutex);
  device.current_pool = handle;
  return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* dptr, size_t bytes, const std::shared_ptr<MemoryPool>& pool) {
  if (!dptr || !bytes) return CUDA_ERROR_INVALID_VALUE;
  if (!pool->take(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  // No owner: such memory outlives the context that asked for it.
  const auto base = state().allocations.allocate(
      {.size = bytes, .kind = Allocation::Kind::device, .device = &pool->device(), .pool = pool});
  if (!base) {
    pool->give(bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *dptr = *base;
  return CUDA_SUCCESS;
}

Device* device_at(const CUmemLocation* location) {
  if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return nullptr;
  return device(location->id);
}

/// Runs `body(device)` for the pools that there are: of device memory.
template <class Body>
CUresult at_location(const CUmemLocation* location, CUmemAllocationType type, Body body) {
  return in_driver([&]() -> CUresult {
    if (!location) return CUDA_ERROR_INVALID_VALUE;
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || type != CU_MEM_ALLOCATION_TYPE_PINNED) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    Device* found = device_at(location);
    return found ? body(*found) : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult give(CUmemoryPool* out, CUmemoryPool pool) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = pool;
  return CUDA_SUCCESS;
}

CUresult give_default(CUmemoryPool* out, Device& device) {
  const std::lock_guard lock(device.pool_mutex);
  return give(out, default_pool(device));
}

}  // namespace

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return with_device(dev, [&](Device& device) { return give_default(pool_out, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return with_device(dev, [&](Device& device) { return give(pool, current_pool(device)); });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return with_device(dev, [&](Device& device) { return set_current_pool(device, pool); });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  return at_location(location, type,
                     [&](Device& device) { return give_default(pool_out, device); });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return at_location(location, type,
                     [&](Device& device) { return give(pool, current_pool(device)); });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return at_location(location, type,
                     [&](Device& device) { return set_current_pool(device, pool); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return in_driver([&]() -> CUresult {
    if (!pool || !poolProps) return CUDA_ERROR_INVALID_VALUE;
    if (poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE || poolProps->usage) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return at_location(&poolProps->location, poolProps->allocType, [&](Device& device) {
      return give(pool, MemoryPool::create(device, poolProps->maxSize));
    });
  });
}

// What was allocated from the pool lives on.
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool(pool, [&](const std::shared_ptr<MemoryPool>& found) -> CUresult {
    const std::lock_guard lock(found->device().pool_mutex);
    if (pool == found->device().default_pool) return CUDA_ERROR_INVALID_VALUE;
    state().pools.remove(pool);
    return CUDA_SUCCESS;
  });
}

// Nothing is held beyond what is in use.
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return with_pool(pool, [](const auto&) { return CUDA_SUCCESS; });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_pool(pool, [&](const auto& found) { return found->get(attr, value); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_pool(pool, [&](const auto& found) { return found->set(attr, value); });
}

// Every device reaches all memory; taking that away is not possible.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  return with_pool(pool, [&](const auto&) -> CUresult {
    if (count && !map) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
      if (!device_at(&map[i].location)) return CUDA_ERROR_INVALID_VALUE;
      if (map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  return with_pool(memPool, [&](const auto&) -> CUresult {
    if (!flags || !device_at(location)) return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return in_context([&](Context& context) {
    return cuMemAllocFromPoolAsync(dptr, bytesize, current_pool(context.device()), hStream);
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  return in_context([&](Context& context) -> CUresult {
    if (!context.stream(hStream)) return CUDA_ERROR_INVALID_HANDLE;
    return with_pool(pool, [&](const auto& found) { return allocate(dptr, bytesize, found); });
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(hStream);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    const auto found = state().allocations.find(dptr);
    if (!found || found->base != dptr || found->kind == Allocation::Kind::host) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // Also when the context has failed by then: the memory is free all the same.
    stream->enqueue([dptr] {
      state().allocations.release(dptr, {Allocation::Kind::device, Allocation::Kind::managed});
    });
    return CUDA_SUCCESS;
  });
}
