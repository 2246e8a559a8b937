// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// set for all types (PTX ISA 9.7.6.1, 9.7.7.1).
#pragma once

#include "isa/sem/compare.h"

namespace heddle::sem {

/// 1.0 in a floating-point format, all ones in an integer.
template <class D>
constexpr D truth_value(bool condition) {
  if constexpr (std::is_same_v<D, f16>)
    return {static_cast<u16>(condition ? 0x3c00 : 0)};
  else if constexpr (std::is_same_v<D, bf16>)
    return {static_cast<u16>(condition ? 0x3f80 : 0)};
  else if constexpr (std::is_floating_point_v<D>)
    return condition ? D{1} : D{0};
  else
    return static_cast<D>(condition ? ~D{0} : D{0});
}

template <class D, class S>
constexpr D set_bool(Cmp cmp, Boolop op, Flag ftz, S a, S b, bool c) {
  const bool compared = compares(cmp, ftz, a, b);
  return truth_value<D>(combine(op, compared, c));
}
template <class D, class S>
constexpr D set(Cmp cmp, Flag ftz, S a, S b) {
  return set_bool<D, S>(cmp, Boolop::none, ftz, a, b, false);
}

/// Both halves; the destination is a pair of the same kind, or 0xffff per half in a 32-bit integer.
template <class D, class P>
constexpr D set_pair_bool(Cmp cmp, Boolop op, Flag ftz, P a, P b, bool c) {
  const bool first = combine(op, compares(cmp, ftz, low(a), low(b)), c);
  const bool second = combine(op, compares(cmp, ftz, high(a), high(b)), c);
  if constexpr (std::is_same_v<D, P>) {
    return pack<D>(truth_value<ElementOf<D>>(first), truth_value<ElementOf<D>>(second));
  } else {
    return static_cast<D>((first ? 0xffffu : 0u) | (second ? 0xffff0000u : 0u));
  }
}
template <class D, class P>
constexpr D set_pair(Cmp cmp, Flag ftz, P a, P b) {
  return set_pair_bool<D, P>(cmp, Boolop::none, ftz, a, b, false);
}

}  // namespace heddle::sem
