// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of matrices as numbers, one at a time. A code has the bits of an element.
#pragma once

#include "base/types.h"
#include "isa/types.h"

namespace heddle::matrices {

/// A floating-point format. NaN and infinity are the magnitudes from `first_special` on; the first
/// one is infinity, if the format has one. The lowest `unused` bits of a code do not count.
struct Format {
  u32 bits, exponent, mantissa;
  int bias;
  u64 first_special;
  bool has_infinity;
  u32 unused = 0;

  u64 sign() const { return u64{1} << (bits - 1); }
};
/// Null: the type is an integer.
const Format* format_of(isa::Type type);

struct Number {
  enum class Kind : u8 { finite, infinite, nan, absent } kind = Kind::finite;
  bool negative = false;
  s64 significand = 0;  ///< with the sign; the value is significand * 2^unit
  int unit = 0;
  int exponent = 0;  ///< as tensor cores compare it: of a subnormal number the least one
};
/// A subnormal number keeps the least exponent.
Number decode(const Format& format, u64 code);
double value_of(const Number& number);
/// The code of a value that is finite and exact in the format, but for its sign if it is zero.
u64 encode_exact(const Format& format, double value);

s64 integer_of(isa::Type type, u64 code);

}  // namespace heddle::matrices
