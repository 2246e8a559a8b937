// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See graph_memory.h.
#include "driver/core/graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "driver/core/state.h"

namespace heddle::driver {
namespace {

struct Usage {
  u64 used = 0, used_high = 0, reserved = 0, reserved_high = 0;

  void take(u64 bytes) { used_high = std::max(used_high, used += bytes); }
  void reserve(u64 bytes) { reserved_high = std::max(reserved_high, reserved += bytes); }
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
  const auto base = state().allocations.allocate(
      {.size = params.bytesize,
       .kind = Allocation::Kind::graph,
       .flags = place.is_managed() ? unsigned{CU_MEM_ATTACH_GLOBAL} : 0,
       .device = device});
  if (!base) return nullptr;
  if (place.is_managed()) state().advice.prefer(*base, params.bytesize, place.location);
  std::shared_ptr<GraphAllocation> made(new GraphAllocation(device, params));
  made->params_.dptr = *base;
  made->params_.accessDescs = nullptr;
  made->params_.accessDescCount = 0;
  const std::lock_guard lock(books().mutex);
  books().by_base[*base] = made;
  books().usage[device].reserve(params.bytesize);
  return made;
}

GraphAllocation::~GraphAllocation() {
  {
    const std::lock_guard lock(books().mutex);
    books().by_base.erase(base());
    books().usage[device_].reserved -= size();
  }
  state().allocations.release(base(), {Allocation::Kind::graph});
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
  books().usage[device_].take(size());
  return true;
}

bool GraphAllocation::free() {
  std::shared_ptr<GraphAllocation> self;  // goes last, without the lock
  const std::lock_guard lock(books().mutex);
  if (!is_live_) return false;
  is_live_ = false;
  self = std::move(self_);
  books().usage[device_].used -= size();
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
      return usage.used;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return usage.used_high;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return usage.reserved;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return usage.reserved_high;
  }
  return std::nullopt;
}

CUresult reset_graph_memory(const Device& device, CUgraphMem_attribute attribute) {
  const std::lock_guard lock(books().mutex);
  Usage& usage = books().usage[&device];
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      usage.used_high = usage.used;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      usage.reserved_high = usage.reserved;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace heddle::driver
