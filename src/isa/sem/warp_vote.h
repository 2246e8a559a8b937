// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vote, match, elect (PTX ISA 9.7.13.8 to 9.7.13.10, 9.7.13.14); activemask needs no arithmetic.
#pragma once

#include "isa/groups.h"
#include "isa/sem/lanes.h"

namespace heddle::sem {

using isa::Votemode;

/// The same for all members.
constexpr bool vote(Votemode mode, u32 members, u32 a) {
  const bool all = (a & members) == members;
  const bool any = (a & members) != 0;
  switch (mode) {
    case Votemode::all:
      return all;
    case Votemode::any:
      return any;
    default:
      return all || !any;  // uni
  }
}

constexpr u32 ballot(u32 members, u32 a) { return a & members; }

/// The members whose value equals that of `lane`.
template <class T>
constexpr u32 same_value(u32 members, const T* a, u32 lane) {
  u32 same = 0;
  for (u32 other = 0; other < kWarpSize; ++other) {
    same |= static_cast<u32>(a[other] == a[lane]) << other;
  }
  return same & members;
}

/// The result of `lanes`, which are the members but where a membermask is wrong. `d` may be the
/// register `a` is in when T is u32.
template <class T>
constexpr void match_any(u32 members, u32 lanes, const T* a, u32* d) {
  u32 result[kWarpSize] = {};
  u32 left = members | lanes;
  while (left != 0) {
    const u32 same = same_value(left, a, static_cast<u32>(std::countr_zero(left)));
    for_each_lane(same, [&](u32 lane) { result[lane] = same & members; });
    left &= ~same;
  }
  for_each_lane(lanes, [&](u32 lane) { d[lane] = result[lane]; });
}

/// `members` when all of them hold the same value (then the predicate is true), else 0.
template <class T>
constexpr u32 match_all(u32 members, const T* a) {
  if (members == 0) return 0;
  const u32 same = same_value(members, a, static_cast<u32>(std::countr_zero(members)));
  return same == members ? members : 0;
}

/// The lane that is elected: the lowest. Of nobody: lane 0.
constexpr u32 elect(u32 members) {
  return members ? static_cast<u32>(std::countr_zero(members)) : 0;
}

}  // namespace heddle::sem
