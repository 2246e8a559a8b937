// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the warp functions: the semantics of instructions that look across the lanes of a warp
// (PTX ISA 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.14). A warp function has one signature:
//
//   constexpr void f<compile-time arguments>(run-time arguments, WarpLanes, sources, results)
//
// A source is `const T*`, an array of 32 values by lane, or a Predicate; a result is `T*` or
// `Predicate&`. A result is written for WarpLanes::active only, and may be the same register as a
// source. The membermask is part of WarpLanes, not a source.
#pragma once

#include <bit>

#include "isa/sem/types.h"

namespace heddle::sem {

inline constexpr u32 kWarpSize = 32;

/// Which lanes take part, one bit a lane.
struct WarpLanes {
  /// Those whose operands count: the threads of the membermask that have not exited or, for the old
  /// forms without `.sync`, the active ones.
  u32 members;
  /// Those that get a result: the members, except where a membermask is wrong.
  u32 active;
};

/// A predicate of each lane, one bit a lane.
struct Predicate {
  u32 bits;
};

/// An operand of several registers: where each of them lies, a value for each lane.
template <class T>
using Registers = T* const*;
/// All operands of a function, sources before results, each of which is Registers.
struct WarpOperands {
  void* const* operands;
  u32 count;
};

/// f(lane) for each lane of the set, lowest first.
template <class F>
constexpr void for_each_lane(u32 set, F f) {
  for (; set != 0; set &= set - 1) f(static_cast<u32>(std::countr_zero(set)));
}

/// All active lanes get the same value.
template <class T>
constexpr void set_all(WarpLanes who, T* d, T value) {
  for_each_lane(who.active, [&](u32 lane) { d[lane] = value; });
}
/// Each active lane gets its bit.
constexpr void set_bits(WarpLanes who, Predicate& p, u32 bits) {
  p.bits = (p.bits & ~who.active) | (bits & who.active);
}
constexpr void set_all(WarpLanes who, Predicate& p, bool value) {
  set_bits(who, p, value ? ~0u : 0);
}

}  // namespace heddle::sem
