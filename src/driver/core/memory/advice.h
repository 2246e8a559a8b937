// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program has said about ranges of managed memory. Driver API 6.17. Nothing follows from it
// here, where memory is never far away; it is kept because programs ask for it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "base/types.h"
#include "driver/abi.h"

namespace heddle::driver {

struct Advice {
  bool read_mostly = false;
  std::optional<CUmemLocation> preferred, last_prefetch;
  std::set<int> accessed_by;  ///< devices; CU_DEVICE_CPU for the host
};

class AdviceBook {
 public:
  /// Changes what is known of a range.
  template <class Change>
  void change(u64 base, u64 bytes, Change change) {
    const std::lock_guard lock(mutex_);
    split(base);
    split(base + bytes);
    for (auto it = pieces_.lower_bound(base); it != pieces_.end() && it->first < base + bytes;
         ++it) {
      change(it->second);
    }
  }
  /// The range is new and wants to be somewhere, or does not care (CU_MEM_LOCATION_TYPE_NONE).
  void prefer(u64 base, u64 bytes, const CUmemLocation& location) {
    if (location.type == CU_MEM_LOCATION_TYPE_NONE) return;
    change(base, bytes, [&](Advice& advice) { advice.preferred = location; });
  }
  /// What is true of all of a range: hints that all parts have, locations that are everywhere the
  /// same.
  Advice common(u64 base, u64 bytes) const;
  /// The range was freed.
  void forget(u64 base, u64 bytes) {
    change(base, bytes, [](Advice& advice) { advice = {}; });
  }

 private:
  void split(u64 at);

  mutable std::mutex mutex_;
  std::map<u64, Advice> pieces_{{0, {}}};  // each from its key to the next
};

/// Of the process; never destroyed.
AdviceBook& advice();

}  // namespace heddle::driver
