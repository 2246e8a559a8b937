// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host memory that kernels may access because the program has registered it (driver API,
// cuMemHostRegister). It lies outside the device's ranges: an access that lies in none of those
// ranges is looked up here.
#pragma once

#include <atomic>
#include <map>
#include <shared_mutex>

#include "machine/ranges.h"

namespace heddle::machine {

class HostRanges {
 public:
  /// Registered ranges do not overlap: the driver's table of allocations ensures that.
  void add(AddressRange range);
  /// False when no registered range begins at `base`.
  bool remove(u64 base);
  /// The registered range that holds `address`; an empty range when there is none. May be called by
  /// any thread, also in the handler of a fault of a kernel.
  AddressRange find(u64 address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<u64, u64> bytes_of_;        // by first address
  std::atomic<std::size_t> count_{0};  // 0 in nearly all programs: find() needs no lock then
};

}  // namespace heddle::machine
