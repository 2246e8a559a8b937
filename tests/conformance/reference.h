// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of IEEE 754, computed with MPFR: numbers of any format, each operation exact and
// rounded once.
#pragma once

#include <string_view>

#include "base/types.h"

#define MPFR_USE_INTMAX_T
#include <cstdint>
#include <cstdio>

#include <mpfr.h>

namespace heddle::conformance {

/// A binary interchange format. `nan` is the NaN result of Heddle's operations.
struct Format {
  std::string_view name;
  int bits, precision, max_exponent;
  u64 nan;
  int beyond = 0;  ///< number of exponents above max_exponent that hold numbers, not infinities

  constexpr int min_exponent() const { return 1 - max_exponent; }
  constexpr u64 sign() const { return u64{1} << (bits - 1); }
  constexpr u64 infinity() const { return (sign() - 1) >> (precision - 1) << (precision - 1); }
  constexpr u64 one() const { return u64(max_exponent) << (precision - 1); }
  constexpr bool is_nan(u64 value) const { return (value & (sign() - 1)) > infinity(); }
  constexpr bool is_subnormal(u64 value) const {
    return (value & infinity()) == 0 && (value & (sign() - 1)) != 0;
  }
};

inline constexpr Format kF16 = {"f16", 16, 11, 15, 0x7fff};
inline constexpr Format kBf16 = {"bf16", 16, 8, 127, 0x7fff};
inline constexpr Format kF32 = {"f32", 32, 24, 127, 0x7fffffff};
inline constexpr Format kF64 = {"f64", 64, 53, 1023, 0xfff8000000000000};

enum class Operation : u8 { add, sub, mul, fma, div, sqrt, rcp, copy };

/// The numbers that a thread computes with.
class Reference {
 public:
  Reference();
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  void load(int index, const Format& format, u64 bits);
  void load_signed(int index, s64 value) { mpfr_set_sj(number_[index], value, MPFR_RNDN); }
  void load_unsigned(int index, u64 value) { mpfr_set_uj(number_[index], value, MPFR_RNDN); }

  /// The result of the operation on the loaded numbers, in `format`.
  u64 compute(Operation operation, const Format& format, mpfr_rnd_t rounding);
  /// Number 0, which is not a NaN, rounded to an integer and clamped to `bits` bits.
  u64 integer(int bits, bool is_signed, mpfr_rnd_t rounding);
  /// Rounds number 0 to an integral value.
  void round_integral(mpfr_rnd_t rounding) { mpfr_rint(number_[0], number_[0], rounding); }

 private:
  mpfr_t number_[3];
  mpfr_t one_, result_;
};

inline constexpr mpfr_rnd_t kRoundings[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

}  // namespace heddle::conformance
