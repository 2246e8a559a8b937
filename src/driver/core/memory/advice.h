// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's hints about ranges of managed memory. Driver API 6.17. The hints have no effect,
// because host and devices share one memory. They are kept for queries.
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
  /// Runs `change(advice)` for each part of a range.
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
  /// Sets the preferred location of a new range; CU_MEM_LOCATION_TYPE_NONE: it has none.
  void prefer(u64 base, u64 bytes, const CUmemLocation& location) {
    if (location.type == CU_MEM_LOCATION_TYPE_NONE) return;
    change(base, bytes, [&](Advice& advice) { advice.preferred = location; });
  }
  /// The hints and locations that all parts of a range have in common.
  Advice common(u64 base, u64 bytes) const;
  /// Resets the hints of a range that has been freed.
  void forget(u64 base, u64 bytes) {
    change(base, bytes, [](Advice& advice) { advice = {}; });
  }

 private:
  void split(u64 at);

  mutable std::mutex mutex_;
  std::map<u64, Advice> pieces_{{0, {}}};  // a piece reaches from its key to the next key
};

/// The hints of the process, which are never destroyed.
AdviceBook& advice();

}  // namespace heddle::driver
