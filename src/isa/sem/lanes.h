// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the semantics of warp-level instructions share. A value of 32-bit or 64-bit type is an array
// of 32, indexed by lane; a predicate and a set of threads are one bit a lane. `members` are the
// threads that take part: those of the membermask that have not exited, or, for the old forms
// without
// `.sync`, the active ones. Results are written for members only.
#pragma once

#include <bit>

#include "isa/sem/types.h"

namespace heddle::sem {

inline constexpr u32 kWarpSize = 32;

/// f(lane) for each lane of the set, lowest first.
template <class F>
constexpr void for_each_lane(u32 set, F f) {
  for (; set != 0; set &= set - 1) f(static_cast<u32>(std::countr_zero(set)));
}

}  // namespace heddle::sem
