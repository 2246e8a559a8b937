// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer div and rem (PTX ISA 9.7.1.8, 9.7.1.9). Two pairs of operands would fault on the host:
// division by zero, which gives all ones, and MININT / -1, which wraps to MININT, remainder 0.
#pragma once

#include <limits>

#include "isa/sem/types.h"

namespace heddle::sem {

/// b, or 1 if the host's division would fault. a / 1 and a % 1 are the wrapped results of MININT /
/// -1.
template <class T>
constexpr T safe_divisor(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const bool overflows = (a == std::numeric_limits<T>::min()) & (b == -1);
    return ((b == 0) | overflows) ? T{1} : b;
  } else {
    return b == 0 ? T{1} : b;
  }
}

/// a / b, if the host's division does not fault. Below 64 bits a floating-point division is exact
/// enough: a quotient that is not an integer is at least 1/b away from the next integer, and the
/// rounding error is less than 2^-7/b (f32, 16 bits) or 2^-20/b (f64). Unlike integer division it
/// is a vector instruction (three times as fast).
template <class T>
constexpr T quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    return a / b;
  } else {
    using F = std::conditional_t<sizeof(T) == 4, f64, f32>;
    return static_cast<T>(static_cast<F>(a) / static_cast<F>(b));
  }
}

template <class T>
constexpr T divide(T a, T b) {
  const T result = quotient(a, safe_divisor(a, b));
  return b == 0 ? static_cast<T>(~T{0}) : result;
}

template <class T>
constexpr T remainder(T a, T b) {
  const T divisor = safe_divisor(a, b);
  const T result =
      wrap<T>(to_unsigned(a) - to_unsigned(quotient(a, divisor)) * to_unsigned(divisor));
  return b == 0 ? static_cast<T>(~T{0}) : result;
}

}  // namespace heddle::sem
