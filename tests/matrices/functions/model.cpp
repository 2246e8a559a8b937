// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

#include "base/check.h"
#include "machine/profile.h"

namespace heddle::matrices {
namespace {

using isa::SumRule;
using Kind = Number::Kind;

constexpr SumRule kQuarters = {4, 23, -512, -19}, kAmpere = {8, 24, -132, -20},
                  kAmpereTf32 = {4, 24, -132, -20}, kHopper = {16, 25, -133, -21},
                  kHopperTf32 = {8, 25, -133, -21}, kAda8 = {16, 13, -133, -21, true},
                  kWarpGroup8 = {32, 13, -133, -21, true}, kBlackwell8 = {32, 25, -133, -21},
                  kScaled = {32, 25, -133, -21}, kFp4 = {4, 35, -133, -21}, kHalves = {0};

constexpr Device kDevices[] = {
    {"sm_75", 75, "t4", kAmpere, kAmpereTf32, kHalves},
    {"sm_80", 80, "a100", kAmpere, kAmpereTf32, kHalves},
    {"sm_89", 89, "rtx4090", kAmpere, kAmpereTf32, kAda8},
    {"sm_90", 90, "h200", kHopper, kHopperTf32, kHalves},
    {"sm_100", 100, "", kHopper, kHopperTf32, kHalves},
    {"sm_120", 120, "heddle", kHopper, kHopperTf32, kBlackwell8},
};

constexpr u64 kNanF32 = 0x7fffffff, kNanF16 = 0x7fff, kNanF64 = 0x7fffffffffffffff;

// ------------------------------------------------------------------------------------- one step

Number product(const Number& a, const Number& b) {
  Number p;
  p.negative = a.negative != b.negative;
  if (a.kind == Kind::absent || b.kind == Kind::absent) {
    p.kind = Kind::absent;
  } else if (a.kind == Kind::finite && b.kind == Kind::finite) {
    p.significand = a.significand * b.significand;
    p.unit = a.unit + b.unit;
    p.exponent = a.exponent + b.exponent;
  } else {
    const auto spoils = [](const Number& x) {
      return x.kind == Kind::nan || (x.kind == Kind::finite && x.significand == 0);
    };
    p.kind = spoils(a) || spoils(b) ? Kind::nan : Kind::infinite;
  }
  return p;
}

/// What is left of `magnitude` below 2^64 without its lowest `drop` bits.
u64 without(u64 magnitude, int drop) {
  return drop <= 0 ? magnitude : drop >= 64 ? 0 : magnitude >> drop << drop;
}

/// total * 2^unit, truncated.
double rounded_f32(s64 total, int unit, bool is_short) {
  const u64 magnitude = total < 0 ? -static_cast<u64>(total) : static_cast<u64>(total);
  const int width = static_cast<int>(std::bit_width(magnitude));
  const int drop = std::max(width - 24, -149 - unit) + (is_short ? 10 : 0);
  const double value = std::ldexp(static_cast<double>(without(magnitude, drop)), unit);
  return std::copysign(value >= 0x1p128 ? INFINITY : value, total < 0 ? -1.0 : 1.0);
}
/// The same, to nearest even.
double rounded_f16(s64 total, int unit) {
  const u64 magnitude = total < 0 ? -static_cast<u64>(total) : static_cast<u64>(total);
  const int width = static_cast<int>(std::bit_width(magnitude));
  const int drop = std::max(width - 11, -24 - unit);
  u64 kept = without(magnitude, drop);
  if (drop > 0 && drop < 64) {
    const u64 rest = magnitude - kept, middle = u64{1} << (drop - 1);
    const bool odd = (kept >> drop & 1) != 0;
    if (rest > middle || (rest == middle && odd)) kept += u64{1} << drop;
  }
  const double value = std::ldexp(static_cast<double>(kept), unit);
  return std::copysign(value >= 0x1p16 ? INFINITY : value, total < 0 ? -1.0 : 1.0);
}

u64 code_of(isa::Type type, double value) {
  const Format& f = *format_of(type);
  if (std::isnan(value)) return type == isa::Type::f16 ? kNanF16 : kNanF32;
  if (std::isinf(value)) return f.first_special | (value < 0 ? f.sign() : 0);
  return encode_exact(f, value);
}

/// `number` as a multiple of 2^unit, truncated.
s64 aligned(const Number& number, int unit) {
  const int shift = number.unit - unit;
  if (shift >= 0) return number.significand * (s64{1} << shift);
  const u64 magnitude = static_cast<u64>(std::abs(number.significand));
  const s64 kept = shift <= -64 ? 0 : static_cast<s64>(magnitude >> -shift);
  return number.significand < 0 ? -kept : kept;
}

/// Adds the addends; the code of the result, which has type `d`.
u64 add(const SumRule& rule, isa::Type d, std::span<const Number> addends) {
  bool nan = false, plus = false, minus = false, any = false;
  int largest = d == isa::Type::f16 ? rule.floor_f16 : rule.floor_f32;
  for (const Number& one : addends) {
    nan |= one.kind == Kind::nan;
    if (one.kind == Kind::infinite) (one.negative ? minus : plus) = true;
    if (one.kind == Kind::finite && one.significand != 0) {
      any = true;
      largest = std::max(largest, one.exponent);
    }
  }
  if (nan || (plus && minus)) return code_of(d, NAN);
  if (plus || minus) return code_of(d, plus ? INFINITY : -INFINITY);
  if (!any) return 0;
  const int unit = largest - rule.fraction_bits;
  s64 total = 0;
  for (const Number& one : addends)
    if (one.kind == Kind::finite && one.significand != 0) total += aligned(one, unit);
  if (total == 0) return 0;
  return code_of(
      d, d == isa::Type::f16 ? rounded_f16(total, unit) : rounded_f32(total, unit, rule.short_f32));
}

// ---------------------------------------------------------------------------- elements of D

constexpr u32 kMostAddends = 33;

/// Steps over those k of which `belongs(k)` holds, from the code `c` of type `type` on. A step has
/// products of `width` successive k.
template <class Product, class Belongs>
u64 add_steps(const SumRule& rule, const Instruction& i, u32 width, Product product_at,
              Belongs belongs, isa::Type type, u64 c) {
  for (u32 first = 0; first < i.k; first += width) {
    Number addends[kMostAddends];
    u32 count = 0;
    for (u32 k = first; k < std::min(first + width, i.k); ++k)
      if (belongs(k)) addends[count++] = product_at(k);
    addends[count++] = decode(*format_of(type), c);
    c = add(rule, i.d, {addends, count});
    type = i.d;
  }
  return c;
}

/// x + y rounded to nearest even; of f16 the sum of two is exact in double.
u64 rounded_sum(isa::Type type, u64 x, u64 y) {
  const Format& f = *format_of(type);
  const double sum = value_of(decode(f, x)) + value_of(decode(f, y));
  if (!std::isfinite(sum)) return code_of(type, sum);
  if (type == isa::Type::f32) return code_of(type, static_cast<double>(static_cast<float>(sum)));
  const auto total = static_cast<s64>(std::ldexp(sum, 24));
  return total == 0 ? code_of(type, sum) : code_of(type, rounded_f16(total, -24));
}

/// The rows of A and columns of B as numbers.
struct Decoded {
  std::vector<Number> a, b, scale_a, scale_b;

  Decoded(const Instruction& i, const Operands& of) {
    const auto all = [](isa::Type type, const std::vector<u64>& codes, std::vector<Number>& to) {
      for (const u64 code : codes) to.push_back(decode(*format_of(type), code));
    };
    all(i.a, of.a, a);
    all(i.b, of.b, b);
    for (std::size_t at = 0; at < of.stored.size(); ++at)
      if (!of.stored[at]) a[at].kind = Kind::absent;
    for (const u64 code : of.scale_a) scale_a.push_back(scale(i.scale, code));
    for (const u64 code : of.scale_b) scale_b.push_back(scale(i.scale, code));
  }

  /// `.ue8m0` is a power of two, `.ue4m3` an e4m3 whose sign does not count.
  static Number scale(isa::Type type, u64 code) {
    if (type == isa::Type::ue4m3) return decode(*format_of(isa::Type::e4m3), code & 0x7f);
    const int exponent = static_cast<int>(code) - 127;
    return {code == 0xff ? Kind::nan : Kind::finite, false, 1, exponent, exponent};
  }
};

/// The addends are the sums of sixteen exact products, times their scale factors.
u64 element_of_fp4(const Instruction& i, const Decoded& of, u32 m, u32 n, u64 c) {
  constexpr u32 kGroup = 16;
  for (u32 first = 0; first < i.k; first += kFp4.products * kGroup) {
    Number addends[kMostAddends];
    u32 count = 0;
    for (u32 group = first; group < first + kFp4.products * kGroup; group += kGroup) {
      Number sum{.unit = -2};  // of a product of the least numbers
      for (u32 k = group; k < group + kGroup; ++k) {
        const Number p = product(of.a[m * i.k + k], of.b[n * i.k + k]);
        if (p.kind == Kind::finite) sum.significand += aligned(p, sum.unit);
      }
      const u32 chunk = group * i.scales / i.k;
      addends[count++] =
          product(product(sum, of.scale_a[m * i.scales + chunk]), of.scale_b[n * i.scales + chunk]);
    }
    addends[count++] = decode(*format_of(isa::Type::f32), c);
    c = add(kFp4, i.d, {addends, count});
  }
  return c;
}

const SumRule& rule_of(const Instruction& i, const Device& device) {
  using Unit = Instruction::Unit;
  const bool tcgen05 = i.unit == Unit::tcgen05,
             of_device = i.unit == Unit::mma || i.unit == Unit::wmma;
  if (i.is_quarters()) return kQuarters;
  if (i.kind == "mxf8f6f4") return kScaled;
  if (i.a == isa::Type::tf32) return of_device ? device.tf32 : kHopperTf32;
  if (i.a == isa::Type::f16 || i.a == isa::Type::bf16) return of_device ? device.f16 : kHopper;
  return of_device ? device.narrow : tcgen05 ? kBlackwell8 : kWarpGroup8;
}

u64 element_of_floats(const Instruction& i, const Device& device, const Decoded& of, u32 m, u32 n,
                      u64 c) {
  if (i.kind == "mxf4" || i.kind == "mxf4nvf4") return element_of_fp4(i, of, m, n, c);
  const SumRule& rule = rule_of(i, device);
  const auto product_at = [&](u32 k) {
    const Number p = product(of.a[m * i.k + k], of.b[n * i.k + k]);
    return i.scales == 0 ? p : product(product(p, of.scale_a[m]), of.scale_b[n]);
  };
  if (rule.products != 0) {
    return add_steps(rule, i, rule.products, product_at, [](u32) { return true; }, i.c, c);
  }
  u64 sum = 0;
  for (const u32 half : {0u, 1u}) {
    // Half of the k, so that the products of a step come from twice as many.
    sum = add_steps(
        device.f16, i, 2 * device.f16.products, product_at,
        [half](u32 k) { return k % 4 / 2 == half; }, i.d, sum);
  }
  return rounded_sum(i.d, sum, c);
}

u64 element_of_doubles(const Instruction& i, const Operands& of, u32 m, u32 n, u64 c) {
  volatile double sum = std::bit_cast<double>(c);
  for (u32 k = 0; k < i.k; ++k) {
    sum = std::fma(std::bit_cast<double>(of.a[m * i.k + k]),
                   std::bit_cast<double>(of.b[n * i.k + k]), sum);
  }
  const double result = sum;
  return std::isnan(result) ? kNanF64 : std::bit_cast<u64>(result);
}

u64 element_of_integers(const Instruction& i, const Operands& of, u32 m, u32 n, u64 c) {
  s64 sum = integer_of(isa::Type::s32, c);
  for (u32 k = 0; k < i.k; ++k) {
    const u64 a = of.a[m * i.k + k], b = of.b[n * i.k + k];
    if (i.a == isa::Type::b1)
      sum += static_cast<s64>(i.counts_ands ? a & b : a ^ b);
    else if (of.stored.empty() || of.stored[m * i.k + k])
      sum += integer_of(i.a, a) * integer_of(i.b, b);
  }
  if (i.saturates) sum = std::clamp<s64>(sum, INT32_MIN, INT32_MAX);
  return static_cast<u32>(sum);
}

}  // namespace

std::span<const Device> devices() { return kDevices; }

isa::TensorCore core_of(const Device& device) {
  if (!device.profile.empty()) return machine::find_profile(device.profile)->tensor_core;
  isa::TensorCore core = machine::find_profile("h200")->tensor_core;
  core.mma_f16 = device.f16;
  core.mma_tf32 = device.tf32;
  return core;
}

std::vector<u64> multiply(const Instruction& i, const Device& device, const Operands& operands) {
  const bool floats = i.d != isa::Type::f64 && i.d != isa::Type::s32;
  const Decoded decoded = floats ? Decoded(i, operands) : Decoded(i, {});
  const int before = std::fegetround();
  std::fesetround(i.rounding == "rz"   ? FE_TOWARDZERO
                  : i.rounding == "rm" ? FE_DOWNWARD
                  : i.rounding == "rp" ? FE_UPWARD
                                       : FE_TONEAREST);
  std::vector<u64> d;
  for (u32 m = 0; m < i.m; ++m) {
    for (u32 n = 0; n < i.n; ++n) {
      const u64 c = operands.c[m * i.n + n];
      d.push_back(i.d == isa::Type::f64   ? element_of_doubles(i, operands, m, n, c)
                  : i.d == isa::Type::s32 ? element_of_integers(i, operands, m, n, c)
                                          : element_of_floats(i, device, decoded, m, n, c));
    }
  }
  std::fesetround(before);
  return d;
}

}  // namespace heddle::matrices
