// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose address arithmetic is out to leave the device's memory: sums that wrap around 2^64,
// accesses of a block that lie 2^63 apart, strides that come around, accesses whose results nobody
// wants, all state spaces, both ends of each of them. In most kernels all of it cancels out, and
// the accesses are legal; in the others one address is not.
#pragma once

#include <string>

#include "base/types.h"
#include "machine/profile.h"

namespace heddle::hostile {

/// Bytes of what a kernel accesses.
inline constexpr u64 kGlobalBytes = 16384, kHostBytes = 8192, kSharedBytes = 1024,
                     kLocalBytes = 256, kConstBytes = 256, kBlockBytes = 64;

struct Kernel {
  u64 seed = 0;
  machine::Dim3 block;
  /// Parameters: .u64 global memory, .u64 registered host memory, .u64 host memory that is not,
  /// .u32 0, and an array of kBlockBytes bytes.
  std::string text;
  /// Every address is legal, so the kernel runs to its end.
  bool is_legal = true;
  /// One warp alone: what it leaves in memory does not depend on an order.
  bool has_one_result = true;

  static constexpr std::string_view kName = "hostile";
};

/// `to_mine`: how far the host's memory that is not registered is from the global memory.
Kernel generate(u64 seed, u64 to_mine);

}  // namespace heddle::hostile
