// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// redux.sync (PTX ISA 9.7.13.12). The result is the same for all members.
#pragma once

#include <concepts>

#include "isa/groups.h"
#include "isa/sem/lanes.h"

namespace heddle::sem {

using isa::Reduxop;

template <std::integral T>
constexpr T redux_pair(Reduxop op, T a, T b) {
  switch (op) {
    case Reduxop::add:
      return wrap<T>(to_unsigned(a) + to_unsigned(b));
    case Reduxop::min:
      return a < b ? a : b;
    case Reduxop::max:
      return a > b ? a : b;
    case Reduxop::and_:
      return a & b;
    case Reduxop::or_:
      return a | b;
    default:
      return a ^ b;  // xor
  }
}

/// u32 and s32 differ for min and max only. Of nobody: 0.
template <std::integral T>
constexpr T redux(Reduxop op, u32 members, const T* a) {
  if (!members) return 0;
  T result = a[std::countr_zero(members)];
  for_each_lane(members & (members - 1),
                [&](u32 lane) { result = redux_pair(op, result, a[lane]); });
  return result;
}

/// Integers in the order of the floats whose bits they come from, -0 below +0. Its own inverse.
constexpr s32 float_order(s32 bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }

/// Bits of floats. A NaN is left out, or decides (`.NaN`); if nothing is left, the canonical NaN.
constexpr u32 redux_f32(Reduxop op, Flag abs, Flag nan, u32 members, const u32* a) {
  constexpr u32 kCanonicalNan = 0x7fffffff;
  constexpr u32 kInfinity = 0x7f800000;
  const u32 sign_mask = abs == Flag::on ? 0x7fffffffu : 0xffffffffu;
  bool found = false;
  bool found_nan = false;
  s32 best = 0;
  for_each_lane(members, [&](u32 lane) {
    const u32 bits = a[lane] & sign_mask;
    if ((bits & 0x7fffffff) > kInfinity) {
      found_nan = true;
    } else {
      const s32 key = float_order(static_cast<s32>(bits));
      best = found ? redux_pair(op, best, key) : key;
      found = true;
    }
  });
  if (!found || (found_nan && nan == Flag::on)) return kCanonicalNan;
  return static_cast<u32>(float_order(best));
}

}  // namespace heddle::sem
