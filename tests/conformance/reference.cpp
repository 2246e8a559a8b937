// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::conformance {
namespace {

constexpr int kPrecision = 64;  // of operands: exact for every format, and for 64-bit integers

}  // namespace

Reference::Reference() {
  for (auto& number : number_) mpfr_init2(number, kPrecision);
  mpfr_init2(one_, 2);
  mpfr_set_ui(one_, 1, MPFR_RNDN);
  mpfr_init2(result_, kPrecision);
}

Reference::~Reference() {
  for (auto& number : number_) mpfr_clear(number);
  mpfr_clear(one_);
  mpfr_clear(result_);
  mpfr_free_cache();
}

void Reference::load(int index, const Format& format, u64 bits) {
  mpfr_t& number = number_[index];
  const u64 magnitude = bits & (format.sign() - 1);
  const u64 fraction_bits = u64(format.precision - 1);
  if (magnitude > format.infinity()) {
    mpfr_set_nan(number);
  } else if (magnitude == format.infinity()) {
    mpfr_set_inf(number, 1);
  } else {
    const u64 fraction = magnitude & ((u64{1} << fraction_bits) - 1);
    const int biased = int(magnitude >> fraction_bits);
    const u64 significand = biased ? fraction | u64{1} << fraction_bits : fraction;
    const int exponent = (biased ? biased : 1) - format.max_exponent - int(fraction_bits);
    mpfr_set_uj_2exp(number, significand, exponent, MPFR_RNDN);
  }
  mpfr_setsign(number, number, (bits & format.sign()) != 0, MPFR_RNDN);
}

u64 Reference::compute(Operation operation, const Format& format, mpfr_rnd_t rounding) {
  mpfr_set_prec(result_, format.precision);
  int ternary = 0;
  switch (operation) {
    case Operation::add:
      ternary = mpfr_add(result_, number_[0], number_[1], rounding);
      break;
    case Operation::sub:
      ternary = mpfr_sub(result_, number_[0], number_[1], rounding);
      break;
    case Operation::mul:
      ternary = mpfr_mul(result_, number_[0], number_[1], rounding);
      break;
    case Operation::fma:
      ternary = mpfr_fma(result_, number_[0], number_[1], number_[2], rounding);
      break;
    case Operation::div:
      ternary = mpfr_div(result_, number_[0], number_[1], rounding);
      break;
    case Operation::sqrt:
      ternary = mpfr_sqrt(result_, number_[0], rounding);
      break;
    case Operation::rcp:
      ternary = mpfr_div(result_, one_, number_[0], rounding);
      break;
    case Operation::copy:
      ternary = mpfr_set(result_, number_[0], rounding);
      break;
  }
  // MPFR's significands are in [1/2, 1); its own range of exponents is far wider.
  const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
  mpfr_set_emin(format.min_exponent() - format.precision + 2);
  mpfr_set_emax(format.max_exponent + format.beyond + 1);
  ternary = mpfr_check_range(result_, ternary, rounding);
  mpfr_subnormalize(result_, ternary, rounding);
  mpfr_set_emin(least);
  mpfr_set_emax(most);

  if (mpfr_nan_p(result_)) return format.nan;
  const u64 sign = mpfr_signbit(result_) ? format.sign() : 0;
  if (mpfr_inf_p(result_)) return sign | format.infinity();
  if (mpfr_zero_p(result_)) return sign;
  const int exponent = int(mpfr_get_exp(result_)) - 1;  // value = 1.f * 2^exponent
  const int unit = std::max(exponent, format.min_exponent()) - (format.precision - 1);
  mpfr_mul_2si(result_, result_, -unit, MPFR_RNDN);
  const u64 significand = u64(std::abs(mpfr_get_sj(result_, MPFR_RNDZ)));
  const u64 biased = u64(unit + format.precision - 1 + format.max_exponent);
  return sign | (((biased - 1) << (format.precision - 1)) + significand);
}

u64 Reference::integer(int bits, bool is_signed, mpfr_rnd_t rounding) {
  mpfr_set_prec(result_, kPrecision);
  mpfr_rint(result_, number_[0], rounding);
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (is_signed) {
    const s64 most = s64(mask >> 1);
    const s64 value = mpfr_get_sj(result_, MPFR_RNDZ);  // clamps to 64 bits
    return u64(value > most ? most : value < -most - 1 ? -most - 1 : value) & mask;
  }
  if (mpfr_sgn(result_) < 0) return 0;
  const u64 value = mpfr_get_uj(result_, MPFR_RNDZ);
  return value > mask ? mask : value;
}

}  // namespace heddle::conformance
