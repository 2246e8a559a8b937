// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph_memory.h.
#include "driver/core/graph/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "driver/core/context/device.h"
#include "driver/core/memory/advice.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/memory_pool.h"

namespace heddle::driver {
namespace {

/// Bytes of the graphs' memory, with their high-water mark. Some of the bytes are unused, and stay
/// so until a graph takes them again or they are trimmed.
struct Amount {
  u64 now = 0, high = 0, left_over = 0;

  /// Takes unused bytes first. Returns the number of these.
  u64 take(u64 bytes) {
    const u64 again = std::min(bytes, left_over);
    left_over -= again;
    now += bytes - again;
    high = std::max(high, now);
    return again;
  }
  void leave(u64 bytes) { left_over += bytes; }
  void drop(u64 bytes) { now -= bytes; }
  u64 trim() {
    now -= left_over;
    return std::exchange(left_over, 0);
  }
};

struct Usage {
  Amount used, reserved;  ///< unused bytes of `reserved` count against the device's memory
};

struct Books {
  std::mutex mutex;
  std::map<u64, std::weak_ptr<GraphAllocation>> by_base;
  std::map<const Device*, Usage> usage;
};

Books& books() {
  static Books& instance = *new Books;
  return instance;
}

}  // namespace

std::shared_ptr<GraphAllocation> GraphAllocation::create(const CUDA_MEM_ALLOC_NODE_PARAMS& params) {
  const PoolPlace place{params.poolProps.location, params.poolProps.allocType};
  Device* const device = place.device();
  u64 again = 0;
  {
    const std::lock_guard lock(books().mutex);
    again = books().usage[device].reserved.take(params.bytesize);
  }
  if (device) allocations().discharge(*device, again);
  const auto base =
      allocations().allocate({.size = params.bytesize,
                              .kind = Allocation::Kind::graph,
                              .flags = place.is_managed() ? unsigned{CU_MEM_ATTACH_GLOBAL} : 0,
                              .device = device});
  if (!base) {
    const std::lock_guard lock(books().mutex);
    books().usage[device].reserved.drop(params.bytesize);
    return nullptr;
  }
  if (place.is_managed()) advice().prefer(*base, params.bytesize, place.location);
  std::shared_ptr<GraphAllocation> made(new GraphAllocation(device, params));
  made->params_.dptr = *base;
  made->params_.accessDescs = nullptr;
  made->params_.accessDescCount = 0;
  const std::lock_guard lock(books().mutex);
  books().by_base[*base] = made;
  return made;
}

GraphAllocation::~GraphAllocation() {
  {
    const std::lock_guard lock(books().mutex);
    books().by_base.erase(base());
  }
  allocations().release(base(), {Allocation::Kind::graph});
  const bool keeps = device_ && allocations().charge(*device_, size());
  const std::lock_guard lock(books().mutex);
  Amount& reserved = books().usage[device_].reserved;
  keeps ? reserved.leave(size()) : reserved.drop(size());
}

bool GraphAllocation::is_live() const {
  const std::lock_guard lock(books().mutex);
  return is_live_;
}

bool GraphAllocation::allocate() {
  const std::lock_guard lock(books().mutex);
  if (is_live_) return false;
  is_live_ = true;
  self_ = shared_from_this();
  books().usage[device_].used.take(size());
  return true;
}

bool GraphAllocation::free() {
  std::shared_ptr<GraphAllocation> self;  // destroyed after the lock is released
  const std::lock_guard lock(books().mutex);
  if (!is_live_) return false;
  is_live_ = false;
  self = std::move(self_);
  books().usage[device_].used.leave(size());
  return true;
}

std::shared_ptr<GraphAllocation> graph_allocation(u64 address) {
  const std::lock_guard lock(books().mutex);
  const auto found = books().by_base.find(address);
  return found == books().by_base.end() ? nullptr : found->second.lock();
}

std::optional<u64> graph_memory(const Device& device, CUgraphMem_attribute attribute) {
  const std::lock_guard lock(books().mutex);
  const Usage& usage = books().usage[&device];
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      return usage.used.now;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return usage.used.high;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return usage.reserved.now;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return usage.reserved.high;
  }
  return std::nullopt;
}

bool trim_graph_memory(const Device& device) {
  u64 bytes = 0;
  {
    const std::lock_guard lock(books().mutex);
    Usage& usage = books().usage[&device];
    usage.used.trim();
    bytes = usage.reserved.trim();
  }
  allocations().discharge(device, bytes);
  return bytes != 0;
}

CUresult reset_graph_memory(const Device& device, CUgraphMem_attribute attribute) {
  const std::lock_guard lock(books().mutex);
  Usage& usage = books().usage[&device];
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      usage.used.high = usage.used.now;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      usage.reserved.high = usage.reserved.now;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace heddle::driver
