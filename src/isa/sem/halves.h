// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two 16-bit integers of a packed register (PTX ISA 5.2.5, `.u16x2` and `.s16x2`): element 0 is
// the low half.
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

template <class P>
struct HalfOf;
template <>
struct HalfOf<u16x2> {
  using type = u16;
};
template <>
struct HalfOf<s16x2> {
  using type = s16;
};
/// u16 for u16x2, s16 for s16x2.
template <class P>
using half_of = typename HalfOf<P>::type;

template <class P>
constexpr half_of<P> low_half(P packed) {
  return static_cast<half_of<P>>(packed.bits & 0xffff);
}
template <class P>
constexpr half_of<P> high_half(P packed) {
  return static_cast<half_of<P>>(packed.bits >> 16);
}
template <class P>
constexpr P pack_halves(half_of<P> low, half_of<P> high) {
  return P{static_cast<u32>(static_cast<u16>(low)) | static_cast<u32>(static_cast<u16>(high))
                                                         << 16};
}

/// f applied to the low halves and to the high halves.
template <class P, class F>
constexpr P map_halves(P a, P b, F f) {
  return pack_halves<P>(f(low_half(a), low_half(b)), f(high_half(a), high_half(b)));
}

}  // namespace heddle::sem
