// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See allocation.h.
#include "driver/core/allocation.h"

#include "driver/core/device.h"
#include "driver/core/state.h"

namespace heddle::driver {

std::optional<u64> Allocations::allocate(Allocation what) {
  const auto address = what.device->memory->allocate(what.size);
  if (!address.ok()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  what.base = *address;
  what.id = next_id_++;
  by_base_.emplace(what.base, what);
  return what.base;
}

bool Allocations::release(u64 base, std::initializer_list<Allocation::Kind> kinds) {
  Allocation taken;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_base_.find(base);
    if (found == by_base_.end()) return false;
    bool wanted = false;
    for (const auto kind : kinds) wanted |= kind == found->second.kind;
    if (!wanted) return false;
    taken = found->second;
    by_base_.erase(found);
  }
  return taken.device->memory->release(base);
}

void Allocations::release_all_of(const Context* owner) {
  std::vector<Allocation> taken;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = by_base_.begin(); it != by_base_.end();) {
      if (it->second.owner == owner) {
        taken.push_back(it->second);
        it = by_base_.erase(it);
      } else {
        ++it;
      }
    }
  }
  for (const auto& allocation : taken) allocation.device->memory->release(allocation.base);
}

std::optional<Allocation> Allocations::find(u64 address) const {
  const std::lock_guard lock(mutex_);
  auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second;
  if (address - candidate.base >= candidate.size) return std::nullopt;
  return candidate;
}

Device* device_of(u64 address) {
  for (const auto& device : state().devices) {
    const auto& memory = *device->memory;
    if (memory.low().all.contains(address) || memory.high().all.contains(address)) {
      return device.get();
    }
  }
  return nullptr;
}

bool is_device_range(u64 address, u64 bytes) {
  const Device* device = device_of(address);
  return device && device->memory->is_valid(address, bytes);
}

bool is_copy_range(u64 address, u64 bytes) {
  const Device* device = device_of(address);
  return device ? device->memory->is_valid(address, bytes) : address != 0;
}

}  // namespace heddle::driver
