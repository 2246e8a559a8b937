// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See multicast.h.
#include "driver/core/multicast.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>

#include "driver/core/device.h"
#include "driver/core/log.h"
#include "driver/core/state.h"

namespace heddle::driver {

class Multicast::View {
 public:
  /// Null: the host refuses.
  static std::shared_ptr<View> create(const PhysicalPtr& memory, u64 offset, u64 bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file(),
                          static_cast<off_t>(offset));
    if (at == MAP_FAILED) return nullptr;
    return std::make_shared<View>(memory, machine::AddressRange{reinterpret_cast<u64>(at), bytes});
  }
  View(PhysicalPtr memory, machine::AddressRange range)
      : memory_(std::move(memory)), range_(range) {}
  ~View() { munmap(reinterpret_cast<void*>(range_.base), range_.size); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  u64 base() const { return range_.base; }

 private:
  const PhysicalPtr memory_;
  const machine::AddressRange range_;
};

CUresult Multicast::add(Device& device) {
  const std::lock_guard lock(mutex_);
  if (team_.size() == properties_.numDevices || team_.contains(device.ordinal)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  team_[device.ordinal];
  if (team_.size() == properties_.numDevices) complete_.notify_all();
  return CUDA_SUCCESS;
}

void Multicast::wait_for_team(const char* caller) {
  std::unique_lock lock(mutex_);
  const auto is_complete = [this] { return team_.size() == properties_.numDevices; };
  if (complete_.wait_for(lock, std::chrono::seconds(1), is_complete)) return;
  say("{} waits until all {} devices of the multicast object have been added; {} have", caller,
      properties_.numDevices, team_.size());
  complete_.wait(lock, is_complete);
}

bool Multicast::in_object(u64 offset, u64 bytes) const {
  return bytes && (offset | bytes) % kGranularity == 0 && offset <= size() &&
         bytes <= size() - offset;
}

CUresult Multicast::bind(u64 offset, u64 bytes, const MulticastSource& source) {
  if (!in_object(offset, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  const auto member = team_.find(source.device->ordinal);
  if (member == team_.end()) return CUDA_ERROR_INVALID_DEVICE;
  Bindings& bindings = member->second;
  const auto next = bindings.lower_bound(offset);
  if (next != bindings.end() && next->first < offset + bytes) return CUDA_ERROR_INVALID_VALUE;
  if (next != bindings.begin()) {
    const auto& [base, before] = *std::prev(next);
    if (offset < base + before.bytes) return CUDA_ERROR_INVALID_VALUE;
  }
  Binding binding{bytes, source.address};
  if (source.memory) {
    binding.view = View::create(source.memory, source.offset, bytes);
    if (!binding.view) return CUDA_ERROR_OUT_OF_MEMORY;
    binding.base = binding.view->base();
  }
  bindings.emplace(offset, std::move(binding));
  publish_all();
  return CUDA_SUCCESS;
}

CUresult Multicast::unbind(Device& device, u64 offset, u64 bytes) {
  if (!in_object(offset, bytes)) return CUDA_ERROR_INVALID_VALUE;
  Binding gone;
  {
    const std::lock_guard lock(mutex_);
    const auto member = team_.find(device.ordinal);
    if (member == team_.end()) return CUDA_ERROR_INVALID_DEVICE;
    const auto found = member->second.find(offset);
    if (found == member->second.end() || found->second.bytes != bytes) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    gone = std::move(found->second);
    member->second.erase(found);
    publish_all();
  }
  for (const auto& context : state().contexts.all()) context->synchronize();
  return CUDA_SUCCESS;
}

/// What the offsets from `begin` to `end` stand for, which no binding cuts.
machine::Multimem::Part Multicast::part(const Mapping& mapping, u64 begin, u64 end) const {
  machine::Multimem::Part part;
  part.addresses = {mapping.addresses.base + (begin - mapping.offset), end - begin};
  part.is_writable = mapping.access == machine::Memory::Access::write;
  if (mapping.access == machine::Memory::Access::none) {
    part.why_missing = "cuMemSetAccess has given no access to these multimem addresses";
    return part;
  }
  for (const auto& [device, bindings] : team_) {
    const auto after = bindings.upper_bound(begin);
    const auto found = after == bindings.begin() ? bindings.end() : std::prev(after);
    if (found == bindings.end() || begin - found->first >= found->second.bytes) {
      part.bases.clear();
      part.why_missing = fmt::format(
          "device {} has no memory bound to its multicast object at offset {:#x}", device, begin);
      return part;
    }
    part.bases.push_back(found->second.base + (begin - found->first));
  }
  return part;
}

void Multicast::publish(const Mapping& mapping) const {
  const u64 begin = mapping.offset, end = begin + mapping.addresses.size;
  std::set<u64> cuts = {begin, end};
  for (const auto& [device, bindings] : team_) {
    for (const auto& [offset, binding] : bindings) {
      for (const u64 cut : {offset, offset + binding.bytes}) {
        if (begin < cut && cut < end) cuts.insert(cut);
      }
    }
  }
  std::vector<machine::Multimem::Part> parts;
  for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
    parts.push_back(part(mapping, *at, *std::next(at)));
  }
  state().memory->multimem().replace(mapping.addresses, std::move(parts));
}

void Multicast::publish_all() const {
  for (const auto& [address, mapping] : mappings_) publish(mapping);
}

void Multicast::map(machine::AddressRange addresses, u64 offset) {
  const std::lock_guard lock(mutex_);
  publish(mappings_[addresses.base] = {addresses, offset});
}

void Multicast::set_access(u64 address, machine::Memory::Access access) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return;
  found->second.access = access;
  publish(found->second);
}

void Multicast::unmap(u64 address) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(address);
  if (found == mappings_.end()) return;
  state().memory->multimem().replace(found->second.addresses, {});
  mappings_.erase(found);
}

}  // namespace heddle::driver
