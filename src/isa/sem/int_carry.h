// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extended-precision add, sub and mad (PTX ISA 9.7.2). The flag is the carry of the unsigned
// operation, whatever the type; of a multiply-add, the carry of its final addition. GPUs subtract
// by adding the complement, so the flag of a subtraction is 1 if there is no borrow. The manual
// calls the flag the borrow. Both descriptions agree if subtractions follow subtractions; if a
// subtraction follows an addition, a GPU uses the carry.
#pragma once

#include "isa/sem/int_add.h"
#include "isa/sem/int_mul.h"
#include "isa/sem/types.h"

namespace heddle::sem {

template <class T>
constexpr Two<T, bool> add_carry(T a, T b, bool carry) {
  const auto sum = to_unsigned(a) + to_unsigned(b);
  const auto total = sum + carry;
  return {wrap<T>(total), sum < to_unsigned(a) || total < sum};
}
template <class T>
constexpr T add_carry_in(T a, T b, bool carry) {
  return add_carry(a, b, carry).first;
}
template <class T>
constexpr Two<T, bool> add_carry_out(T a, T b) {
  return add_carry(a, b, false);
}

template <class T>
constexpr Two<T, bool> sub_carry(T a, T b, bool carry) {
  const bool borrow = !carry;  // a + ~b + carry, with fewer operations
  const auto difference = to_unsigned(a) - to_unsigned(b);
  const auto total = difference - borrow;
  return {wrap<T>(total), !(to_unsigned(a) < to_unsigned(b) || difference < total)};
}
template <class T>
constexpr T sub_carry_in(T a, T b, bool carry) {
  return sub_carry(a, b, carry).first;
}
template <class T>
constexpr Two<T, bool> sub_carry_out(T a, T b) {
  return sub_carry(a, b, true);
}

template <class T>
constexpr Two<T, bool> mad_lo_carry(T a, T b, T c, bool carry) {
  return add_carry(mul_lo(a, b), c, carry);
}
template <class T>
constexpr T mad_lo_carry_in(T a, T b, T c, bool carry) {
  return mad_lo_carry(a, b, c, carry).first;
}
template <class T>
constexpr Two<T, bool> mad_lo_carry_out(T a, T b, T c) {
  return mad_lo_carry(a, b, c, false);
}

template <class T>
constexpr Two<T, bool> mad_hi_carry(T a, T b, T c, bool carry) {
  return add_carry(mul_hi(a, b), c, carry);
}
template <class T>
constexpr T mad_hi_carry_in(T a, T b, T c, bool carry) {
  return mad_hi_carry(a, b, c, carry).first;
}
template <class T>
constexpr Two<T, bool> mad_hi_carry_out(T a, T b, T c) {
  return mad_hi_carry(a, b, c, false);
}

}  // namespace heddle::sem
