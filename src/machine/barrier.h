// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barriers of a CTA (PTX ISA 9.7.13.1), shared by both engines.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/types.h"

namespace heddle::machine {

inline constexpr u32 kBarriers = 16;  ///< of a CTA

/// A warp group (PTX ISA 9.7.15.1) waits at a barrier of its own, behind those of the CTA.
inline constexpr u32 kWarpsInGroup = 4, kGroupBarriers = 8;
constexpr u32 group_barrier(u32 warp) { return kBarriers + warp / kWarpsInGroup; }
/// The threads of the group of a warp, in a CTA of `warps` warps.
constexpr u32 group_threads(u32 warp, u32 warps) {
  return 32 * std::min(kWarpsInGroup, warps - warp / kWarpsInGroup * kWarpsInGroup);
}
inline constexpr u32 kAllBarriers = kBarriers + kGroupBarriers;

struct Barrier {
  u32 expected = 0;  ///< threads, if an instruction gave a count; else 0: all live threads
  u32 popc = 0;      ///< of bar.red: predicates that were true
  bool all = true;
  bool active = false;
  std::vector<u32> arrived;  ///< lanes, by warp
  u32 awaited = 0;           ///< a warp with missing threads; all warps before it have arrived

  /// The first threads arrive; `count`: the number of expected threads, 0: all live ones.
  void begin(std::size_t warps, u32 count) {
    *this = {count, 0, true, true, std::move(arrived), 0};
    arrived.assign(warps, 0);
  }
  /// bar.red: the predicates of the lanes of `group`.
  void vote(u32 bits, u32 group) {
    popc += static_cast<u32>(std::popcount(bits & group));
    all &= (bits & group) == group;
  }
  /// Whether all threads have arrived. A warp counts as 32 threads once all its live threads have
  /// arrived; `alive(w)` are the live lanes of a warp.
  template <class Alive>
  bool is_complete(Alive alive) {
    const auto warps = static_cast<u32>(arrived.size());
    const auto missing = [&](u32 w) { return alive(w) & ~arrived[w]; };
    if (!expected) {
      while (awaited < warps && !missing(awaited)) ++awaited;
      return awaited == warps;
    }
    u32 count = 0;
    for (u32 w = 0; w < warps; ++w) {
      if (arrived[w]) count += missing(w) ? static_cast<u32>(std::popcount(arrived[w])) : 32;
    }
    return count >= expected;
  }
};

/// Why threads of a CTA of `warps` warps must not arrive at barrier `number`; empty: they may.
/// `count`: null without a thread count.
std::string refuse_barrier(const std::vector<Barrier>& barriers, u32 number, const u32* count,
                           u32 warps);

/// Where threads wait that wait at a barrier.
std::string describe_barrier(u32 number);

}  // namespace heddle::machine
