// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tanh and ex2 of f16, bf16 and pairs (PTX ISA 9.7.4.9, .10): the f32 functions of mufu.h, rounded.
#pragma once

#include "isa/sem/half.h"
#include "isa/sem/mufu.h"

namespace heddle::sem {

template <class T>
HEDDLE_LANE_INLINE constexpr T tanh_half(T a) {
  return each([]<class E>(E x) HEDDLE_LANE_INLINE { return narrow<E>(mufu_tanh(to_f32(x))); }, a);
}
template <class T>
HEDDLE_LANE_INLINE constexpr T ex2_half(T a) {
  return each([]<class E>(E x) HEDDLE_LANE_INLINE { return narrow<E>(mufu_ex2<false>(to_f32(x))); },
              a);
}
/// bf16 flushes subnormal operands and results.
template <class T>
HEDDLE_LANE_INLINE constexpr T ex2_bf16(T a) {
  return each([]<class E>(E x) HEDDLE_LANE_INLINE { return narrow<E>(mufu_ex2<true>(to_f32(x))); },
              a);
}

}  // namespace heddle::sem
