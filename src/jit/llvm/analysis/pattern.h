// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes whose values are in no line, but lie around each other as is known when compiling: what
// `2 * tid - tid % 4` makes of the lanes, for example. Accesses at such addresses are loads and
// stores of whole vectors, and shuffles.
#pragma once

#include <optional>
#include <span>

#include "jit/llvm/analysis/shape.h"

namespace heddle::jit {

/// The value of a lane is that of a base, the same for the lanes of a half, plus the lane's offset.
struct Pattern {
  std::vector<s64> offsets;  ///< of the team's lanes
  u64 most = kUnknown;       ///< the base is 0 to this; a base that is 0 counts as none
  static constexpr u64 kUnknown = ~u64{0};
  /// Whether a lane of 32 bits may wrap around, or be negative.
  bool wraps() const;
};

/// The offsets of one half.
inline std::span<const s64> of_half(const std::vector<s64>& offsets, unsigned half) {
  return std::span(offsets).subspan(std::size_t{half} * kHalf, kHalf);
}

/// Of an integer of the scalar code.
std::optional<Pattern> pattern_of(const llvm::Value* value, const Shapes& shapes);

}  // namespace heddle::jit
