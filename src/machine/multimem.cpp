// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/multimem.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"

namespace heddle::machine {

void Multimem::replace(AddressRange range, std::vector<Part> parts) {
  const std::lock_guard lock(mutex_);
  parts_.erase(parts_.lower_bound(range.base), parts_.lower_bound(range.end()));
  for (Part& part : parts) {
    HEDDLE_CHECK(part.bases.size() <= kMostReplicas);
    parts_[part.addresses.base] = std::move(part);
  }
}

const Multimem::Part* Multimem::part_at(u64 address) const {
  const auto after = parts_.upper_bound(address);
  if (after == parts_.begin()) return nullptr;
  const Part& part = std::prev(after)->second;
  return part.addresses.contains(address) ? &part : nullptr;
}

bool Multimem::contains(u64 address) const {
  const std::shared_lock lock(mutex_);
  return part_at(address) != nullptr;
}

Replicas Multimem::find(u64 address) const {
  const std::shared_lock lock(mutex_);
  Replicas found;
  if (const Part* part = part_at(address)) {
    found.addresses = part->addresses;
    found.count = static_cast<u32>(part->bases.size());
    found.is_writable = part->is_writable;
    std::copy(part->bases.begin(), part->bases.end(), found.base.begin());
    return found;
  }
  const auto after = parts_.upper_bound(address);
  const u64 begin = after == parts_.begin() ? 0 : std::prev(after)->second.addresses.end();
  const u64 end = after == parts_.end() ? ~u64{0} : after->first;
  found.addresses = {begin, end - begin};
  found.count = 1;
  found.base[0] = begin;
  return found;
}

Replicas Multimem::find_again(u64 address) const {
  const Replicas found = find(address);
  if (found.count || !on_missing) return found;
  on_missing(address);
  return find(address);
}

std::string Multimem::why_missing(u64 address) const {
  const std::shared_lock lock(mutex_);
  const Part* part = part_at(address);
  return part ? part->why_missing : "";
}

}  // namespace heddle::machine
