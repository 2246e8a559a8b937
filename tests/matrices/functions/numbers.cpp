// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numbers.h"

#include <algorithm>
#include <cmath>

namespace heddle::matrices {
namespace {

constexpr u64 kNone = ~u64{0};

struct NamedFormat {
  isa::Type type;
  Format format;
};
constexpr NamedFormat kFormats[] = {
    {isa::Type::f64, {64, 11, 52, 1023, u64{0x7ff} << 52, true}},
    {isa::Type::f32, {32, 8, 23, 127, 0x7f800000, true}},
    {isa::Type::tf32, {32, 8, 10, 127, 0x3fc00, true, 13}},
    {isa::Type::bf16, {16, 8, 7, 127, 0x7f80, true}},
    {isa::Type::f16, {16, 5, 10, 15, 0x7c00, true}},
    {isa::Type::e5m2, {8, 5, 2, 15, 0x7c, true}},
    {isa::Type::e4m3, {8, 4, 3, 7, 0x7f, false}},
    {isa::Type::e3m2, {6, 3, 2, 3, kNone, false}},
    {isa::Type::e2m3, {6, 2, 3, 1, kNone, false}},
    {isa::Type::e2m1, {4, 2, 1, 1, kNone, false}},
};

}  // namespace

const Format* format_of(isa::Type type) {
  for (const NamedFormat& row : kFormats)
    if (row.type == type) return &row.format;
  return nullptr;
}

Number decode(const Format& f, u64 code) {
  const u64 magnitude = (code & (f.sign() - 1)) >> f.unused;
  Number number;
  number.negative = (code & f.sign()) != 0;
  if (magnitude >= f.first_special) {
    const bool infinite = f.has_infinity && magnitude == f.first_special;
    number.kind = infinite ? Number::Kind::infinite : Number::Kind::nan;
    return number;
  }
  const u64 field = magnitude >> f.mantissa, rest = magnitude & ((u64{1} << f.mantissa) - 1);
  const s64 significand = static_cast<s64>(rest | (field ? u64{1} << f.mantissa : 0));
  number.significand = number.negative ? -significand : significand;
  number.exponent = std::max(static_cast<int>(field), 1) - f.bias;
  number.unit = number.exponent - static_cast<int>(f.mantissa);
  return number;
}

double value_of(const Number& number) {
  const double sign = number.negative ? -1 : 1;
  switch (number.kind) {
    case Number::Kind::infinite:
      return sign * INFINITY;
    case Number::Kind::nan:
      return NAN;
    case Number::Kind::absent:
      return 0;
    case Number::Kind::finite:
      return sign * std::ldexp(std::abs(static_cast<double>(number.significand)), number.unit);
  }
  return 0;
}

u64 encode_exact(const Format& f, double value) {
  const u64 sign = std::signbit(value) ? f.sign() : 0;
  if (value == 0) return sign;
  const int least = 1 - f.bias, exponent = std::max(std::ilogb(value), least);
  const auto significand =
      static_cast<u64>(std::ldexp(std::abs(value), static_cast<int>(f.mantissa) - exponent));
  // The leading bit of a normal number increments the exponent.
  const u64 magnitude = (static_cast<u64>(exponent - least) << f.mantissa) + significand;
  return sign | magnitude << f.unused;
}

s64 integer_of(isa::Type type, u64 code) {
  switch (type) {
    case isa::Type::s8:
      return static_cast<s8>(code);
    case isa::Type::s4:
      return static_cast<s64>(code << 60) >> 60;
    case isa::Type::s32:
      return static_cast<s32>(code);
    default:
      return static_cast<s64>(code);
  }
}

}  // namespace heddle::matrices
