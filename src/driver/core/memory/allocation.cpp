// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See allocation.h.
#include "driver/core/memory/allocation.h"

#include <unistd.h>

#include <algorithm>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/graph/graph_memory.h"
#include "driver/core/memory/advice.h"
#include "driver/core/memory/virtual_memory.h"
#include "driver/core/module/module.h"
#include "driver/core/module/tables.h"
#include "driver/core/process.h"
#include "machine/device_use.h"

namespace heddle::driver {
namespace {

using Kind = Allocation::Kind;

/// Whether Allocations allocates, counts and frees memory of this kind. For other kinds, the caller
/// does.
bool lies_in_memory(Kind kind) {
  return kind != Kind::registered && kind != Kind::mapped && kind != Kind::imported;
}

}  // namespace

std::optional<u64> Allocations::allocate(Allocation what) {
  // Counts the bytes before allocating them, so that two threads cannot both get the last bytes.
  if (what.device && !charge(*what.device, what.size)) return std::nullopt;
  // A large allocation from a pool can be bound to a multicast object, so it is aligned for that.
  const bool aligned = what.pool && what.size >= kGranularity;
  const auto address = device_memory().allocate(what.size, aligned ? kGranularity : 256);
  const std::lock_guard lock(mutex_);
  if (!address.ok()) {
    if (what.device) uncharge_locked(*what.device, what.size);
    return std::nullopt;
  }
  what.base = *address;
  what.id = next_id_++;
  by_base_.emplace(what.base, what);
  return what.base;
}

bool Allocations::charge_locked(const Device& device, u64 bytes) {
  u64& used = used_[&device];
  if (bytes > device.memory_bytes - used) return false;
  used += bytes;
  machine::show_bytes_in_use(static_cast<u32>(device.ordinal), used);
  return true;
}

void Allocations::uncharge_locked(const Device& device, u64 bytes) {
  u64& used = used_[&device];
  used -= bytes;
  machine::show_bytes_in_use(static_cast<u32>(device.ordinal), used);
}

// Unused memory of graphs is trimmed when the device has too little memory left.
bool Allocations::charge(const Device& device, u64 bytes) {
  do {
    const std::lock_guard lock(mutex_);
    if (charge_locked(device, bytes)) return true;
  } while (trim_graph_memory(device));
  return false;
}

void Allocations::discharge(const Device& device, u64 bytes) {
  const std::lock_guard lock(mutex_);
  uncharge_locked(device, bytes);
}

bool Allocations::enter(Allocation what) {
  const std::lock_guard lock(mutex_);
  const auto next = by_base_.lower_bound(what.base);
  if (next != by_base_.end() && next->first - what.base < what.size) return false;
  if (next != by_base_.begin()) {
    const Allocation& before = std::prev(next)->second;
    if (what.base - before.base < before.size) return false;
  }
  what.id = next_id_++;
  by_base_.emplace(what.base, what);
  if (what.kind == Kind::registered) device_memory().registered().add({what.base, what.size});
  return true;
}

bool Allocations::change(u64 address, const std::function<void(Allocation&)>& change) {
  const std::lock_guard lock(mutex_);
  const auto after = by_base_.upper_bound(address);
  if (after == by_base_.begin()) return false;
  Allocation& found = std::prev(after)->second;
  if (address - found.base >= found.size) return false;
  change(found);
  return true;
}

bool Allocations::release(u64 base, std::initializer_list<Allocation::Kind> kinds) {
  Allocation::Kind kind;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_base_.find(base);
    if (found == by_base_.end()) return false;
    kind = found->second.kind;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return false;
    forget(found);
  }
  return !lies_in_memory(kind) || device_memory().release(base);
}

std::map<u64, Allocation>::iterator Allocations::forget(std::map<u64, Allocation>::iterator it) {
  const Allocation& allocation = it->second;
  if (lies_in_memory(allocation.kind) && allocation.device) {
    uncharge_locked(*allocation.device, allocation.size);
  }
  if (allocation.kind == Kind::registered) {
    device_memory().registered().remove(allocation.base);
    device_memory().textures().forget({allocation.base, allocation.size});
  }
  if (allocation.is_managed()) advice().forget(allocation.base, allocation.size);
  if (allocation.file >= 0) close(allocation.file);
  if (allocation.pool) allocation.pool->give(allocation.size);
  return by_base_.erase(it);
}

void Allocations::release_all_of(const Context* owner) {
  std::vector<u64> bases;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = by_base_.begin(); it != by_base_.end();) {
      if (it->second.owner == owner) {
        if (lies_in_memory(it->second.kind)) bases.push_back(it->first);
        it = forget(it);
      } else {
        ++it;
      }
    }
  }
  for (const u64 base : bases) device_memory().release(base);
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

std::optional<Allocation> describe_memory(u64 address) {
  auto found = allocations().find(address);
  if (found || !is_device_address(address) || virtual_memory().is_reserved(address)) {
    return found;
  }
  for (const auto& module : module_tables().modules.all()) {
    const auto variable = module->variable_at(address);
    if (!variable) continue;
    return Allocation{.base = variable->range.base,
                      .size = variable->range.size,
                      .kind = variable->is_managed ? Kind::managed : Kind::device,
                      .flags = variable->is_managed ? unsigned{CU_MEM_ATTACH_GLOBAL} : 0,
                      .owner = module->context(),
                      .device = &module->context()->device()};
  }
  return std::nullopt;
}

bool is_device_address(u64 address) {
  const auto& memory = device_memory();
  return memory.low().all.contains(address) || memory.high().all.contains(address);
}

bool is_device_range(u64 address, u64 bytes) {
  const auto found = allocations().find(address);
  if (found && !lies_in_memory(found->kind)) {
    // To the program, adjacent mappings in a reserved range are one range.
    const u64 room = found->size - (address - found->base);
    return bytes <= room || (found->kind == Kind::mapped &&
                             is_device_range(found->base + found->size, bytes - room));
  }
  return device_memory().is_valid(address, bytes) && !virtual_memory().is_reserved(address);
}

bool is_writable_range(u64 address, u64 bytes) {
  const auto found = allocations().find(address);
  return is_device_range(address, bytes) && !(found && found->is_read_only);
}

bool is_copy_range(u64 address, u64 bytes) {
  return is_device_address(address) ? is_device_range(address, bytes) : address != 0;
}

Allocations& allocations() {
  static Allocations& instance = *new Allocations;
  return instance;
}

}  // namespace heddle::driver
