// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See allocation.h.
#include "driver/core/allocation.h"

#include <algorithm>

#include "driver/core/device.h"
#include "driver/core/state.h"

namespace heddle::driver {

std::optional<u64> Allocations::allocate(Allocation what) {
  {
    // Reserved first, so that two threads cannot both have the last bytes.
    const std::lock_guard lock(mutex_);
    u64& used = used_[what.device];
    if (what.size > what.device->memory_bytes - used) return std::nullopt;
    used += what.size;
    what.id = next_id_++;
  }
  const auto address = state().memory->allocate(what.size);
  const std::lock_guard lock(mutex_);
  if (!address.ok()) {
    used_[what.device] -= what.size;
    return std::nullopt;
  }
  what.base = *address;
  by_base_.emplace(what.base, what);
  return what.base;
}

bool Allocations::release(u64 base, std::initializer_list<Allocation::Kind> kinds) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_base_.find(base);
    if (found == by_base_.end()) return false;
    if (std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end()) return false;
    forget(found);
  }
  return state().memory->release(base);
}

std::map<u64, Allocation>::iterator Allocations::forget(std::map<u64, Allocation>::iterator it) {
  const Allocation& allocation = it->second;
  used_[allocation.device] -= allocation.size;
  if (allocation.pool) allocation.pool->give(allocation.size);
  return by_base_.erase(it);
}

void Allocations::release_all_of(const Context* owner) {
  std::vector<u64> bases;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = by_base_.begin(); it != by_base_.end();) {
      if (it->second.owner == owner) {
        bases.push_back(it->first);
        it = forget(it);
      } else {
        ++it;
      }
    }
  }
  for (const u64 base : bases) state().memory->release(base);
}

std::optional<Allocation> Allocations::find(u64 address) const {
  const std::lock_guard lock(mutex_);
  auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second;
  if (address - candidate.base >= candidate.size) return std::nullopt;
  return candidate;
}

u64 Allocations::used_on(const Device& device) const {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(&device);
  return found == used_.end() ? 0 : found->second;
}

bool is_device_address(u64 address) {
  const auto& memory = *state().memory;
  return memory.low().all.contains(address) || memory.high().all.contains(address);
}

bool is_device_range(u64 address, u64 bytes) { return state().memory->is_valid(address, bytes); }

bool is_copy_range(u64 address, u64 bytes) {
  return is_device_address(address) ? is_device_range(address, bytes) : address != 0;
}

}  // namespace heddle::driver
