// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer div and rem (PTX ISA 9.7.1.8, 9.7.1.9). Two pairs of operands would fault on the host:
// division by zero, which gives all ones, and MININT / -1, which wraps to MININT, remainder 0.
#pragma once

#include <limits>

#include "isa/sem/types.h"

namespace heddle::sem {

/// b, or 1 where the host cannot divide by it. a / 1 and a % 1 are what MININT / -1 wraps to.
template <class T>
constexpr T safe_divisor(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const bool overflows = (a == std::numeric_limits<T>::min()) & (b == -1);
    return ((b == 0) | overflows) ? T{1} : b;
  } else {
    return b == 0 ? T{1} : b;
  }
}

template <class T>
constexpr T divide(T a, T b) {
  const T quotient = static_cast<T>(a / safe_divisor(a, b));
  return b == 0 ? static_cast<T>(~T{0}) : quotient;
}

template <class T>
constexpr T remainder(T a, T b) {
  const T rest = static_cast<T>(a % safe_divisor(a, b));
  return b == 0 ? static_cast<T>(~T{0}) : rest;
}

}  // namespace heddle::sem
