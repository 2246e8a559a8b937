// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation: device, pinned and managed memory. Driver API 6.13. All three are the same memory (a
// device pointer is a host pointer). They differ in the function that frees them and in the results
// of queries.
#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/device.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/process.h"
#include "driver/core/stream/capture.h"

using namespace heddle::driver;
using Kind = heddle::driver::Allocation::Kind;

namespace {

// A row of a pitched allocation begins at a multiple of this.
constexpr size_t kPitchAlign = 512;

CUresult allocate(Context& context, Kind kind, size_t bytes, unsigned flags, CUdeviceptr* out) {
  if (!out || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult bad = refuse_unsafe()) return bad;
  const auto base = allocations().allocate({.size = bytes,
                                            .kind = kind,
                                            .flags = flags,
                                            .owner = &context,
                                            .device = &context.device()});
  if (!base) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = *base;
  return CUDA_SUCCESS;
}

CUresult allocate_host(void** pp, size_t bytes, unsigned flags) {
  return in_context([&](Context& context) -> CUresult {
    CUdeviceptr base = 0;
    if (!pp) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = allocate(context, Kind::host, bytes, flags, &base);
    if (result == CUDA_SUCCESS) *pp = reinterpret_cast<void*>(base);
    return result;
  });
}

// Freeing waits for the context's work, which may still use the memory.
CUresult release(Context& context, heddle::u64 base, std::initializer_list<Kind> kinds) {
  if (const CUresult bad = refuse_unsafe()) return bad;
  if (const CUresult error = context.synchronize()) return error;
  return allocations().release(base, kinds) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Frees memory that a graph allocated and does not free itself.
CUresult free_of_graph(Context& context, GraphAllocation& allocation) {
  if (const CUresult bad = refuse_unsafe()) return bad;
  if (const CUresult error = context.synchronize()) return error;
  return !allocation.freed_by && allocation.free() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

std::optional<Allocation> host_allocation(const void* p) {
  auto found = allocations().find(reinterpret_cast<heddle::u64>(p));
  if (found && !found->is_host()) found.reset();
  return found;
}

}  // namespace

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  return in_context(
      [&](Context& context) { return allocate(context, Kind::device, bytesize, 0, dptr); });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  return in_context([&](Context& context) -> CUresult {
    const bool element_ok =
        ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
    if (!pPitch || !element_ok || !WidthInBytes || !Height) return CUDA_ERROR_INVALID_VALUE;
    const size_t pitch = (WidthInBytes + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
    if (pitch < WidthInBytes || pitch > SIZE_MAX / Height) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = allocate(context, Kind::device, pitch * Height, 0, dptr);
    if (result == CUDA_SUCCESS) *pPitch = pitch;
    return result;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  return in_context([&](Context& context) -> CUresult {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return allocate(context, Kind::managed, bytesize, flags, dptr);
  });
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return in_context([&](Context& context) -> CUresult {
    if (!dptr) return CUDA_SUCCESS;
    if (const auto of_graph = graph_allocation(dptr)) return free_of_graph(context, *of_graph);
    if (const auto found = allocations().find(dptr);
        found && found->kind == Kind::imported && found->base == dptr) {
      return close_imported(dptr);
    }
    // Memory from a pool is freed without waiting for kernels that may still use it.
    if (const auto found = allocations().find(dptr); found && found->pool) {
      if (const CUresult bad = refuse_unsafe()) return bad;
      const bool freed = allocations().release(dptr, {Kind::device, Kind::managed});
      return freed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return release(context, dptr, {Kind::device, Kind::managed});
  });
}

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return allocate_host(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  constexpr unsigned kKnown =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (Flags & ~kKnown) {
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return allocate_host(pp, bytesize, Flags);
}

CUresult cuMemFreeHost(void* p) {
  return in_context([&](Context& context) -> CUresult {
    if (!p) return CUDA_SUCCESS;
    return release(context, reinterpret_cast<heddle::u64>(p), {Kind::host});
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  return in_context([&](Context&) -> CUresult {
    if (!pdptr || Flags || !host_allocation(p)) return CUDA_ERROR_INVALID_VALUE;
    *pdptr = reinterpret_cast<CUdeviceptr>(p);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return in_context([&](Context&) -> CUresult {
    const auto found = host_allocation(p);
    if (!pFlags || !found) return CUDA_ERROR_INVALID_VALUE;
    *pFlags = found->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return in_context([&](Context& context) -> CUresult {
    if (!free || !total) return CUDA_ERROR_INVALID_VALUE;
    *total = context.device().memory_bytes;
    *free = *total - allocations().used_on(context.device());
    return CUDA_SUCCESS;
  });
}

// Variables of modules have a range too, so an address that is not in the table is looked up in the
// machine's memory.
CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  return in_context([&](Context&) -> CUresult {
    std::optional<heddle::machine::AddressRange> range;
    if (const auto found = allocations().find(dptr)) {
      range = {found->base, found->size};
    } else if (!virtual_memory().is_reserved(dptr)) {
      range = device_memory().find(dptr);
    }
    if (!range) return CUDA_ERROR_NOT_FOUND;
    if (pbase) *pbase = range->base;
    if (psize) *psize = range->size;
    return CUDA_SUCCESS;
  });
}

// Kernels may access exactly the registered bytes (machine/host_ranges.h).
CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  return in_context([&](Context& context) -> CUresult {
    constexpr unsigned kKnown = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    if (!p || !bytesize || (Flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_MEMHOSTREGISTER_IOMEMORY) return CUDA_ERROR_NOT_PERMITTED;
    // CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED is 0: a kernel could write to the
    // memory.
    if (Flags & CU_MEMHOSTREGISTER_READ_ONLY) return CUDA_ERROR_NOT_SUPPORTED;
    if (const CUresult bad = refuse_unsafe()) return bad;
    const auto base = reinterpret_cast<heddle::u64>(p);
    if (is_device_address(base)) return CUDA_ERROR_INVALID_VALUE;
    const bool entered = allocations().enter({.base = base,
                                              .size = bytesize,
                                              .kind = Kind::registered,
                                              .flags = Flags,
                                              .owner = &context,
                                              .device = &context.device()});
    if (!entered) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags) {
  return cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void* p) {
  return in_context([&](Context& context) -> CUresult {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto base = reinterpret_cast<heddle::u64>(p);
    const auto found = allocations().find(base);
    if (!found || found->kind != Kind::registered || found->base != base) {
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }
    return release(context, base, {Kind::registered});
  });
}
