// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream-ordered allocator. Driver API 6.15.
#include <cstdint>
#include <cstring>
#include <optional>

#include "driver/api.h"
#include "driver/core/context/device.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/memory/advice.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/memory/memory_pool.h"
#include "driver/core/memory/tables.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_pool(CUmemoryPool handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto pool = memory_tables().pools.find(handle);
    return pool ? body(pool) : CUDA_ERROR_INVALID_VALUE;
  });
}

/// The default pool, made on first use. Call with the slots' mutex held.
CUmemoryPool default_pool(const PoolPlace& place, PoolSlots& slots) {
  if (!slots.default_pool) {
    slots.default_pool = MemoryPool::create(place, 0, MemoryPool::Origin::own);
  }
  return slots.default_pool;
}

CUmemoryPool give_default(const PoolPlace& place) {
  PoolSlots& slots = pool_slots(place);
  const std::lock_guard lock(slots.mutex);
  return default_pool(place, slots);
}

CUmemoryPool current_pool(const PoolPlace& place) {
  PoolSlots& slots = pool_slots(place);
  const std::lock_guard lock(slots.mutex);
  return memory_tables().pools.find(slots.current_pool) ? slots.current_pool
                                                        : default_pool(place, slots);
}

CUresult set_current_pool(const PoolPlace& place, CUmemoryPool handle) {
  const auto pool = memory_tables().pools.find(handle);
  PoolSlots& slots = pool_slots(place);
  if (!pool || &pool_slots(pool->place()) != &slots) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(slots.mutex);
  slots.current_pool = handle;
  return CUDA_SUCCESS;
}

PoolPlace of_device(const Device& device) {
  return {{CU_MEM_LOCATION_TYPE_DEVICE, device.ordinal}};
}

CUresult allocate(CUdeviceptr* dptr, size_t bytes, const std::shared_ptr<MemoryPool>& pool) {
  if (!pool->take(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  const PoolPlace& place = pool->place();
  // The allocation has no owner, because it outlives the context of the call.
  const auto base = allocations().allocate(
      {.size = bytes,
       .kind = place.is_managed() ? Allocation::Kind::managed : Allocation::Kind::device,
       .flags = place.is_managed() ? unsigned{CU_MEM_ATTACH_GLOBAL} : 0,
       .device = pool->device(),
       .pool = pool});
  if (!base) {
    pool->give(bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (place.is_managed()) advice().prefer(*base, bytes, place.location);
  *dptr = *base;
  return CUDA_SUCCESS;
}

// In a capture, the allocation becomes a node, which allocates at each launch.
CUresult capture_allocation(Context& context, Stream& stream, MemoryPool& pool, size_t bytes,
                            CUdeviceptr* dptr) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = pool.place().type;
  params.poolProps.location = pool.place().location;
  params.bytesize = bytes;
  const auto allocation = GraphAllocation::create(params);
  if (!allocation) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = submit(context, stream, AllocateTask{allocation});
  if (result == CUDA_SUCCESS) *dptr = allocation->base();
  return result;
}

CUresult capture_free(Context& context, Stream& stream, CUdeviceptr dptr) {
  const auto allocation = graph_allocation(dptr);
  const auto capture = capture_of(stream).capture;
  if (!capture || !allocation || allocation->freed_by) return CUDA_ERROR_INVALID_VALUE;
  allocation->freed_by = capture->graph.get();
  return submit(context, stream, FreeTask{dptr});
}

/// The number of a device, or MemoryPool::kHost; nothing when there is no such location.
std::optional<int> accessor_at(const CUmemLocation* location) {
  if (!location) return std::nullopt;
  if (location->type == CU_MEM_LOCATION_TYPE_HOST) return MemoryPool::kHost;
  const bool known = location->type == CU_MEM_LOCATION_TYPE_DEVICE && device(location->id);
  return known ? std::optional(location->id) : std::nullopt;
}

/// Runs `body(place)` when the location can have pools.
template <class Body>
CUresult at_place(const CUmemLocation* location, CUmemAllocationType type, Body body) {
  return in_driver([&]() -> CUresult {
    if (!location) return CUDA_ERROR_INVALID_VALUE;
    const PoolPlace place{*location, type};
    if (const CUresult bad = place.check()) return bad;
    return body(place);
  });
}

}  // namespace

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  return with_device(
      dev, [&](Device& device) { return give(pool_out, give_default(of_device(device))); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  return with_device(dev,
                     [&](Device& device) { return give(pool, current_pool(of_device(device))); });
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return with_device(dev,
                     [&](Device& device) { return set_current_pool(of_device(device), pool); });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                CUmemAllocationType type) {
  return at_place(location, type,
                  [&](const PoolPlace& place) { return give(pool_out, give_default(place)); });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return at_place(location, type,
                  [&](const PoolPlace& place) { return give(pool, current_pool(place)); });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return at_place(location, type,
                  [&](const PoolPlace& place) { return set_current_pool(place, pool); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  return in_driver([&]() -> CUresult {
    if (!pool || !poolProps) return CUDA_ERROR_INVALID_VALUE;
    const auto& location = poolProps->location;
    const bool managed = poolProps->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    // Pools of the host and of managed memory cannot be shared with other processes, and a pool of
    // managed memory has no size limit.
    const bool alone = managed || location.type == CU_MEM_LOCATION_TYPE_HOST;
    if ((alone && poolProps->handleTypes) ||
        (managed && (poolProps->maxSize || poolProps->usage))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const bool exports = poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
    if (exports) {
      if (const CUresult bad = check_handle_type(poolProps->handleTypes)) return bad;
    }
    if (poolProps->usage) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return at_place(&location, poolProps->allocType, [&](const PoolPlace& place) {
      const auto origin = exports ? MemoryPool::Origin::exported : MemoryPool::Origin::own;
      return give(pool, MemoryPool::create(place, poolProps->maxSize, origin));
    });
  });
}

// Allocations from the pool stay valid.
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return with_pool(pool, [&](const std::shared_ptr<MemoryPool>& found) -> CUresult {
    PoolSlots& slots = pool_slots(found->place());
    const std::lock_guard lock(slots.mutex);
    if (pool == slots.default_pool) return CUDA_ERROR_INVALID_VALUE;
    memory_tables().pools.remove(pool);
    return CUDA_SUCCESS;
  });
}

// A pool holds no unused memory, so there is nothing to trim.
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return with_pool(pool, [](const auto&) { return CUDA_SUCCESS; });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_pool(pool, [&](const auto& found) { return found->get(attr, value); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  return with_pool(pool, [&](const auto& found) { return found->set(attr, value); });
}

// Every device reaches all memory. The setting is kept for cuMemPoolGetAccess.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  return with_pool(pool, [&](const auto& found) -> CUresult {
    if (count && !map) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
      const auto accessor = accessor_at(&map[i].location);
      const auto flags = map[i].flags;
      if (!accessor ||
          (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      if (found->is_open_to(*accessor) && flags == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      found->set_access(*accessor_at(&map[i].location), map[i].flags);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  return with_pool(memPool, [&](const auto& found) -> CUresult {
    const auto accessor = accessor_at(location);
    if (!flags || !accessor) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->access(*accessor);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream) {
  return in_context([&](Context& context) {
    return cuMemAllocFromPoolAsync(dptr, bytesize, current_pool(of_device(context.device())),
                                   hStream);
  });
}

// An allocation of 0 bytes has address 0, also in a capture, and can be freed: programs rely on it.
// For cuMemAlloc the documentation says that 0 bytes are an error.
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                 CUstream hStream) {
  return in_stream(hStream, [&](Context& context, Stream& stream) {
    return with_pool(pool, [&](const auto& found) -> CUresult {
      if (!dptr || found->origin() == MemoryPool::Origin::imported) return CUDA_ERROR_INVALID_VALUE;
      if (!bytesize) {
        *dptr = 0;
        return CUDA_SUCCESS;
      }
      return is_capturing(stream) ? capture_allocation(context, stream, *found, bytesize, dptr)
                                  : allocate(dptr, bytesize, found);
    });
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    if (!dptr) return CUDA_SUCCESS;
    if (is_capturing(stream)) return capture_free(context, stream, dptr);
    if (const auto of_graph = graph_allocation(dptr)) {
      if (of_graph->freed_by || !of_graph->free()) return CUDA_ERROR_INVALID_VALUE;
      stream.enqueue_brief([of_graph] {});  // the task keeps the memory until the stream reaches it
      return CUDA_SUCCESS;
    }
    const auto found = allocations().find(dptr);
    if (!found || found->base != dptr) return CUDA_ERROR_INVALID_VALUE;
    using Kind = Allocation::Kind;
    // The memory is freed even if the context has failed by then, so this goes past
    // Context::enqueue.
    if (found->kind == Kind::imported) {
      stream.enqueue_brief([dptr] { close_imported(dptr); });
    } else if (found->kind == Kind::device || found->kind == Kind::managed) {
      stream.enqueue_brief([dptr] { allocations().release(dptr, {Kind::device, Kind::managed}); });
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

// A file that names the pool is the handle. Allocations from the pool are exported one by one.
CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  return with_pool(pool, [&](const auto& found) -> CUresult {
    if (!handle_out || flags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_handle_type(handleType)) return bad;
    if (found->origin() != MemoryPool::Origin::exported) return CUDA_ERROR_INVALID_VALUE;
    const int file = found->export_file();
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *static_cast<int*>(handle_out) = file;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  return in_driver([&]() -> CUresult {
    if (!pool_out || flags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_handle_type(handleType)) return bad;
    const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
    *pool_out = MemoryPool::import(file);
    return *pool_out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  return in_driver([&]() -> CUresult {
    const auto found = allocations().find(ptr);
    if (!shareData_out || !found || !found->pool ||
        found->pool->origin() != MemoryPool::Origin::exported) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    SharedHandle handle;
    if (const CUresult bad = export_memory(ptr, handle)) return bad;
    *shareData_out = {};
    std::memcpy(shareData_out->reserved, &handle, sizeof handle);
    return CUDA_SUCCESS;
  });
}

// The call needs no context, because the pool has a location.
CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData* shareData) {
  return with_pool(pool, [&](const auto& found) -> CUresult {
    if (!ptr_out || !shareData || found->origin() != MemoryPool::Origin::imported) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    SharedHandle handle;
    std::memcpy(&handle, shareData->reserved, sizeof handle);
    heddle::u64 address = 0;
    if (const CUresult bad = import_memory(handle, found, address)) return bad;
    *ptr_out = address;
    return CUDA_SUCCESS;
  });
}
