// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dp4a and dp2a (PTX ISA 9.7.1.23, 9.7.1.24).
#pragma once

#include "isa/sem/int_add.h"
#include "isa/sem/types.h"

namespace heddle::sem {

/// Element `index` of the elements of `bits` bits in v, zero-extended (T = u32) or sign-extended
/// (s32).
template <u32 bits, class T>
constexpr s32 element(T v, u32 index) {
  const u32 top_aligned = static_cast<u32>(v) << (32 - bits - bits * index);
  return static_cast<s32>(static_cast<T>(top_aligned) >> (32 - bits));
}

/// The type of the accumulator and the result.
template <class T, class U>
using sum_of = std::conditional_t<std::is_same_v<T, U>, T, s32>;

template <class T, class U>
constexpr sum_of<T, U> dot_4(T a, U b, sum_of<T, U> c) {
  s32 sum = 0;
  for (u32 i = 0; i < 4; ++i) sum += element<8>(a, i) * element<8>(b, i);
  return add_wrap(c, static_cast<sum_of<T, U>>(sum));
}

/// `first`: the byte of b that is multiplied with the low half of a.
template <class T, class U, u32 first>
constexpr sum_of<T, U> dot_2(T a, U b, sum_of<T, U> c) {
  s32 sum = 0;
  for (u32 i = 0; i < 2; ++i) sum += element<16>(a, i) * element<8>(b, first + i);
  return add_wrap(c, static_cast<sum_of<T, U>>(sum));
}

}  // namespace heddle::sem
