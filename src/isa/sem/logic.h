// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// and, or, xor, not, cnot, lop3 (PTX ISA 9.7.8.1 to 9.7.8.6).
#pragma once

#include "isa/groups.h"
#include "isa/sem/types.h"

namespace heddle::sem {

using isa::Boolop;

template <class T>
constexpr T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}

template <class T>
constexpr T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}

template <class T>
constexpr T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}

template <class T>
constexpr T bit_not(T a) {
  if constexpr (std::same_as<T, bool>) {
    return !a;
  } else {
    return static_cast<T>(~a);
  }
}

template <class T>
constexpr T logical_not(T a) {
  return a == 0 ? 1 : 0;
}

/// Bit i of the result is bit 4*a_i + 2*b_i + c_i of `table`: a multiplexer tree, three levels
/// deep.
constexpr u32 lop3(u32 a, u32 b, u32 c, u32 table) {
  const auto row = [table](u32 bit) { return 0u - ((table >> bit) & 1); };  // all ones when set
  const auto pick = [](u32 select, u32 one, u32 zero) { return zero ^ (select & (one ^ zero)); };
  const u32 low = pick(b, pick(c, row(3), row(2)), pick(c, row(1), row(0)));
  const u32 high = pick(b, pick(c, row(7), row(6)), pick(c, row(5), row(4)));
  return pick(a, high, low);
}

constexpr Two<u32, bool> lop3_bool(Boolop op, u32 a, u32 b, u32 c, u32 table, bool q) {
  const u32 d = lop3(a, b, c, table);
  const bool nonzero = d != 0;
  return {d, op == Boolop::and_ ? nonzero && q : nonzero || q};
}

}  // namespace heddle::sem
