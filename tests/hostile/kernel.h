// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that try to leave the device's memory. Three of four do so by address arithmetic: sums
// that wrap around 2^64, accesses of a block that lie 2^63 apart, strides that wrap around,
// accesses with unused results, all state spaces, both ends of each of them. In most of these
// kernels the distances cancel out, and the accesses are legal; in the others one address is
// illegal. Each fourth kernel has forged handles of textures and surfaces, or forged tensor maps
// (objects.cpp).
#pragma once

#include <string>

#include "base/types.h"
#include "machine/profile.h"
#include "machine/trap.h"

namespace heddle::hostile {

/// The sizes in bytes of the objects that a kernel accesses.
inline constexpr u64 kGlobalBytes = 16384, kHostBytes = 8192, kSharedBytes = 1024,
                     kLocalBytes = 256, kConstBytes = 256, kBlockBytes = 64;

struct Kernel {
  u64 seed = 0;
  machine::Dim3 block;
  /// Parameters: .u64 global memory, .u64 registered host memory, .u64 unregistered host memory,
  /// .u32 0, and an array of kBlockBytes bytes: handles of textures and surfaces.
  std::string text;
  /// Every address is legal, so the kernel runs to its end.
  bool is_legal = true;
  /// The kernel has one warp: its final memory does not depend on a schedule.
  bool has_one_result = true;
  /// Both engines run the kernel to its end, with one result, or both trap for the same reason.
  bool ends_alike = false;

  static constexpr std::string_view kName = "hostile";
};

/// `to_mine`: the distance from the global memory to the unregistered host memory.
Kernel generate(u64 seed, u64 to_mine);
/// What generate() returns for each fourth seed.
Kernel generate_objects(u64 seed);

}  // namespace heddle::hostile
