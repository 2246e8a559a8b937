// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's own memory that kernels may access, because the program has registered it (driver API,
// cuMemHostRegister). It has no place in the device's ranges, so an access is looked up here after
// it was found to lie in none of them.
#pragma once

#include <atomic>
#include <map>
#include <shared_mutex>

#include "machine/ranges.h"

namespace heddle::machine {

class HostRanges {
 public:
  /// Registered ranges do not overlap: the driver's table of allocations sees to that.
  void add(AddressRange range);
  /// False when no registered range begins at `base`.
  bool remove(u64 base);
  /// The registered range that holds `address`; one of no bytes when there is none. Any thread may
  /// ask, also in the handler of a fault of a kernel.
  AddressRange find(u64 address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<u64, u64> bytes_of_;        // by first address
  std::atomic<std::size_t> count_{0};  // 0 in nearly all programs, which need no lock then
};

}  // namespace heddle::machine
