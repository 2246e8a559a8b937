// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a launch: the order in which its CTAs, warps and threads run. PTX guarantees
// little about it (PTX ISA 3, 8), so a correct program is correct under every schedule. A seed
// chooses a pseudo-random one, the same every time, which switches after a few instructions and
// lets threads of a warp diverge where the fast schedule keeps them together.
#pragma once

#include "base/types.h"

namespace heddle::machine {

/// Pseudo-random numbers (SplitMix64).
class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// 0 <= result < bound, which is not 0.
  u32 below(u64 bound) { return static_cast<u32>((next() >> 32) * bound >> 32); }

 private:
  u64 state_;
};

}  // namespace heddle::machine
