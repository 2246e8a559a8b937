// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vote, match, activemask, elect (PTX ISA 9.7.13.8 to 9.7.13.11, 9.7.13.14).
#pragma once

#include "isa/groups.h"
#include "isa/sem/lanes.h"

namespace heddle::sem {

using isa::Votemode;

constexpr void vote(Votemode mode, WarpLanes who, Predicate a, Predicate& d) {
  const bool all = (a.bits & who.members) == who.members;
  const bool any = (a.bits & who.members) != 0;
  switch (mode) {
    case Votemode::all:
      return set_all(who, d, all);
    case Votemode::any:
      return set_all(who, d, any);
    default:
      return set_all(who, d, all || !any);  // uni
  }
}

constexpr void ballot(WarpLanes who, Predicate a, u32* d) { set_all(who, d, a.bits & who.members); }

/// The members whose value equals that of `lane`.
template <class T>
constexpr u32 same_value(u32 members, const T* a, u32 lane) {
  u32 same = 0;
  for (u32 other = 0; other < kWarpSize; ++other) {
    same |= static_cast<u32>(a[other] == a[lane]) << other;
  }
  return same & members;
}

template <class T>
constexpr void match_any(WarpLanes who, const T* a, u32* d) {
  u32 result[kWarpSize] = {};
  u32 left = who.members | who.active;
  while (left != 0) {
    const u32 same = same_value(left, a, static_cast<u32>(std::countr_zero(left)));
    for_each_lane(same, [&](u32 lane) { result[lane] = same & who.members; });
    left &= ~same;
  }
  for_each_lane(who.active, [&](u32 lane) { d[lane] = result[lane]; });
}

/// The members, and true, when all of them hold the same value, else 0.
template <class T>
constexpr void match_all(WarpLanes who, const T* a, u32* d, Predicate& p) {
  const u32 members = who.members;
  const u32 same =
      members ? same_value(members, a, static_cast<u32>(std::countr_zero(members))) : 0;
  const u32 result = same == members ? members : 0;
  set_all(who, d, result);
  set_all(who, p, result != 0);
}

constexpr void activemask(WarpLanes who, u32* d) { set_all(who, d, who.active); }

/// The lowest member is elected; without members the result is lane 0.
constexpr void elect(WarpLanes who, u32* d, Predicate& p) {
  const u32 lane = who.members ? static_cast<u32>(std::countr_zero(who.members)) : 0;
  set_all(who, d, lane);
  set_bits(who, p, who.members & (1u << lane));
}

}  // namespace heddle::sem
