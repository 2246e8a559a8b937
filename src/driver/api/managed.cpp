// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints about managed memory, and queries of earlier hints. Driver API 6.17. Host and devices share
// one memory, so a valid hint is kept and has no effect.
#include "driver/api.h"
#include "driver/core/memory/advice.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/stream/in_stream.h"

using namespace heddle::driver;

namespace {

CUresult check_range(CUdeviceptr address, size_t bytes) {
  const auto found = describe_memory(address);
  const bool managed = found && found->is_managed();
  return managed && bytes && bytes <= found->size - (address - found->base)
             ? CUDA_SUCCESS
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

int device_of(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}

// A prefetch need not wait for the stream, because the data does not move. A prefetch cannot be
// captured into a graph.
CUresult prefetch(Context& context, Stream& stream, CUdeviceptr address, size_t bytes,
                  const CUmemLocation& location) {
  if (const CUresult bad = check_location(location)) return bad;
  if (const CUresult bad = check_range(address, bytes)) return bad;
  if (const CUresult bad = refuse_in_capture(stream)) return bad;
  context.enqueue(stream, [=] {
    advice().change(address, bytes, [&](Advice& advice) { advice.last_prefetch = location; });
  });
  return CUDA_SUCCESS;
}

void apply(Advice& advice, CUmem_advise what, const CUmemLocation& location) {
  switch (what) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      advice.read_mostly = what == CU_MEM_ADVISE_SET_READ_MOSTLY;
      break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      advice.preferred = location;
      break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      advice.preferred.reset();
      break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
      advice.accessed_by.insert(device_of(location));
      break;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      advice.accessed_by.erase(device_of(location));
      break;
  }
}

CUresult give_devices(const std::set<int>& devices, int* out, size_t room) {
  auto next = devices.begin();
  for (size_t i = 0; i < room; ++i) out[i] = next == devices.end() ? CU_DEVICE_INVALID : *next++;
  return CUDA_SUCCESS;
}

CUresult attribute(void* data, size_t size, CUmem_range_attribute which, const Advice& advice) {
  if (!data || size < sizeof(int) || size % sizeof(int)) return CUDA_ERROR_INVALID_VALUE;
  if (which != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY && size != sizeof(int)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int& out = *static_cast<int*>(data);
  const auto location = [&](const std::optional<CUmemLocation>& of) {
    out = of ? device_of(*of) : CU_DEVICE_INVALID;
    return CUDA_SUCCESS;
  };
  const auto type = [&](const std::optional<CUmemLocation>& of) {
    out = of ? of->type : CU_MEM_LOCATION_TYPE_INVALID;
    return CUDA_SUCCESS;
  };
  const auto id = [&](const std::optional<CUmemLocation>& of) {
    out = of ? of->id : 0;
    return CUDA_SUCCESS;
  };
  switch (which) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      out = advice.read_mostly;
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
      return give_devices(advice.accessed_by, &out, size / sizeof(int));
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return location(advice.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return location(advice.last_prefetch);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return type(advice.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return id(advice.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return type(advice.last_prefetch);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return id(advice.last_prefetch);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// A batch cannot be in the legacy stream. All ranges are checked before `body` runs.
template <class Body>
CUresult in_batch(const CUdeviceptr* pointers, const size_t* sizes, size_t count,
                  unsigned long long flags, CUstream handle, Body body) {
  return in_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    if (!pointers || !sizes || !count || flags || stream.kind() == Stream::Kind::legacy) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; ++i) {
      if (const CUresult bad = check_range(pointers[i], sizes[i])) return bad;
    }
    return body(context, stream);
  });
}

CUresult prefetch_all(const CUdeviceptr* pointers, const size_t* sizes, size_t count,
                      const CUmemLocation* locations, const size_t* firsts, size_t number,
                      unsigned long long flags, CUstream handle) {
  return in_batch(
      pointers, sizes, count, flags, handle, [&](Context& context, Stream& stream) -> CUresult {
        if (!is_partition(firsts, number, count) || !locations) return CUDA_ERROR_INVALID_VALUE;
        for (size_t i = 0; i < number; ++i) {
          if (const CUresult bad = check_location(locations[i])) return bad;
        }
        for (size_t i = 0, part = 0; i < count; ++i) {
          if (part + 1 < number && i == firsts[part + 1]) ++part;
          const CUresult bad = prefetch(context, stream, pointers[i], sizes[i], locations[part]);
          if (bad) return bad;
        }
        return CUDA_SUCCESS;
      });
}

}  // namespace

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                            CUstream hStream) {
  return cuMemPrefetchAsync_v2(devPtr, count, location_of(dstDevice), 0, hStream);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                               unsigned int flags, CUstream hStream) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return prefetch(context, stream, devPtr, count, location);
  });
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                 CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                 size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
  return prefetch_all(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                      hStream);
}

// The contents of a discarded range are undefined, so they may stay as they are.
CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                unsigned long long flags, CUstream hStream) {
  return in_batch(dptrs, sizes, count, flags, hStream,
                  [](Context&, Stream& stream) { return refuse_in_capture(stream); });
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count,
                                           CUmemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
  return prefetch_all(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                      hStream);
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
    if (const CUresult bad = check_range(devPtr, count)) return bad;
    heddle::driver::advice().change(devPtr, count,
                                    [&](Advice& kept) { apply(kept, advice, location); });
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRangeGetAttribute(void* data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
  return cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}

CUresult cuMemRangeGetAttributes(void** data, size_t* dataSizes, CUmem_range_attribute* attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
  return in_context([&](Context&) -> CUresult {
    if (!data || !dataSizes || !attributes || !numAttributes) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = check_range(devPtr, count)) return bad;
    const Advice common = advice().common(devPtr, count);
    for (size_t i = 0; i < numAttributes; ++i) {
      if (const CUresult bad = ::attribute(data[i], dataSizes[i], attributes[i], common))
        return bad;
    }
    return CUDA_SUCCESS;
  });
}
