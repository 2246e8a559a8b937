// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A binary floating-point format: sign, exponent, mantissa.
#pragma once

#include "base/types.h"

namespace heddle::golden {

struct Format {
  int exponent = 0, mantissa = 0;  ///< number of bits
  bool has_infinity = true;        ///< E4M3 has none: its last exponent holds numbers and one NaN

  int bias() const { return (1 << (exponent - 1)) - 1; }
  /// The largest stored exponent of numbers.
  int last_exponent() const { return (1 << exponent) - (has_infinity ? 2 : 1); }
  u64 mantissa_mask() const { return (u64{1} << mantissa) - 1; }
  u64 exponent_mask() const { return ((u64{1} << exponent) - 1) << mantissa; }
  u64 sign() const { return u64{1} << (exponent + mantissa); }
  int exponent_of(u64 bits) const { return static_cast<int>((bits & exponent_mask()) >> mantissa); }
};

inline constexpr Format kFormatF16{5, 10}, kFormatBf16{8, 7}, kFormatF32{8, 23}, kFormatF64{11, 52};

}  // namespace heddle::golden
