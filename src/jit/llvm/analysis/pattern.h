// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are not affine, but a base plus constant offsets of the lanes: `2 * tid - tid % 4`,
// for example. Accesses at such addresses are loads and stores of whole vectors, and shuffles.
#pragma once

#include <optional>
#include <span>

#include "jit/llvm/analysis/shape.h"

namespace heddle::jit {

/// A lane's value is a base, which the lanes of a half share, plus the lane's offset.
struct Pattern {
  std::vector<s64> offsets;  ///< of the team's lanes
  u64 most = kUnknown;       ///< the base is at most this
  static constexpr u64 kUnknown = ~u64{0};
  /// Whether a lane's value of 32 bits may wrap around or be negative.
  bool wraps() const;
};

/// The offsets of one half.
inline std::span<const s64> of_half(const std::vector<s64>& offsets, unsigned half) {
  return std::span(offsets).subspan(std::size_t{half} * kHalf, kHalf);
}

/// The pattern of an integer of the scalar code.
std::optional<Pattern> pattern_of(const llvm::Value* value, const Shapes& shapes);

}  // namespace heddle::jit
