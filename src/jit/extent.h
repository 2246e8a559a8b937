// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far accesses extend. Addresses are computed modulo 2^64. A check compares an access's
// distance from the start of a window, and its length, with the window's size. A length that had
// wrapped around would let accesses far outside of the window pass, so lengths are added here, and
// none is larger than kMostReach.
#pragma once

#include <algorithm>
#include <optional>

#include "base/types.h"

namespace heddle::jit {

/// The most bytes that one check covers, and the largest stride of affine addresses. 64 times as
/// much, for the lanes of a team, does not wrap around.
inline constexpr s64 kMostReach = s64{1} << 40;

/// `bytes` > 0 bytes that begin `low` bytes behind an address.
struct Extent {
  u64 low = 0;    ///< modulo 2^64
  u64 bytes = 0;  ///< at most kMostReach

  /// The smallest extent that contains both. None if they lie further apart than kMostReach, by the
  /// shorter way around: then each is checked by itself.
  std::optional<Extent> joined(const Extent& other) const {
    const s64 from_low = static_cast<s64>(other.low - low);
    if (from_low > kMostReach || from_low < -kMostReach) return std::nullopt;
    const s64 begin = std::min<s64>(from_low, 0);
    const s64 end = std::max(static_cast<s64>(bytes), from_low + static_cast<s64>(other.bytes));
    if (end - begin > kMostReach) return std::nullopt;
    return Extent{low + static_cast<u64>(begin), static_cast<u64>(end - begin)};
  }
};

/// Whether lanes with addresses `stride` bytes apart count as affine.
constexpr bool is_near(s64 stride) { return stride <= kMostReach && stride >= -kMostReach; }

}  // namespace heddle::jit
