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

/// u32 and s32 differ for min and max only. Without members the result is 0.
template <std::integral T>
constexpr void redux(Reduxop op, WarpLanes who, const T* a, T* d) {
  T result = who.members ? a[std::countr_zero(who.members)] : T{0};
  for_each_lane(who.members & (who.members - 1),
                [&](u32 lane) { result = redux_pair(op, result, a[lane]); });
  set_all(who, d, result);
}

/// Integers in the order of the floats whose bits they come from, -0 below +0. Its own inverse.
constexpr s32 float_order(s32 bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }

/// The least or the largest of floats, by their bits. A NaN is ignored, or makes the result NaN
/// (`.NaN`); if all are NaN, the result is the canonical NaN.
class FloatExtreme {
 public:
  constexpr FloatExtreme(Reduxop op, Flag abs, Flag nan)
      : op_(op), sign_mask_(abs == Flag::on ? 0x7fffffffu : 0xffffffffu), nan_(nan) {}
  constexpr void add(u32 bits) {
    constexpr u32 kInfinity = 0x7f800000;
    bits &= sign_mask_;
    if ((bits & 0x7fffffff) > kInfinity) {
      found_nan_ = true;
      return;
    }
    const s32 key = float_order(static_cast<s32>(bits));
    best_ = found_ ? redux_pair(op_, best_, key) : key;
    found_ = true;
  }
  constexpr u32 result() const {
    constexpr u32 kCanonicalNan = 0x7fffffff;
    if (!found_ || (found_nan_ && nan_ == Flag::on)) return kCanonicalNan;
    return static_cast<u32>(float_order(best_));
  }

 private:
  Reduxop op_;
  u32 sign_mask_;
  Flag nan_;
  bool found_ = false, found_nan_ = false;
  s32 best_ = 0;
};

constexpr void redux_f32(Reduxop op, Flag abs, Flag nan, WarpLanes who, const u32* a, u32* d) {
  FloatExtreme extreme(op, abs, nan);
  for_each_lane(who.members, [&](u32 lane) { extreme.add(a[lane]); });
  set_all(who, d, extreme.result());
}

}  // namespace heddle::sem
