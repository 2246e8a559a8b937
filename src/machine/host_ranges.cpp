// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/host_ranges.h"

#include <mutex>

namespace heddle::machine {

void HostRanges::add(AddressRange range) {
  const std::lock_guard lock(mutex_);
  bytes_of_[range.base] = range.size;
  count_ = bytes_of_.size();
}

bool HostRanges::remove(u64 base) {
  const std::lock_guard lock(mutex_);
  const bool removed = bytes_of_.erase(base) != 0;
  count_ = bytes_of_.size();
  return removed;
}

AddressRange HostRanges::find(u64 address) const {
  if (!count_) return {};
  const std::shared_lock lock(mutex_);
  const auto after = bytes_of_.upper_bound(address);
  if (after == bytes_of_.begin()) return {};
  const auto& [base, bytes] = *std::prev(after);
  const AddressRange range{base, bytes};
  return range.contains(address) ? range : AddressRange{};
}

}  // namespace heddle::machine
