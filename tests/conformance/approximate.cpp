// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximate functions against the errors that the manual allows (PTX ISA 9.7.3.8, 13, 15, 16,
// 18 to 22, 9.7.4.9, 9.7.4.10), over all inputs. The reference is the C library's function in f64,
// whose error is about 2^-29 of an f32's unit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "family.h"
#include "jit/float_mode.h"
#include "numbers.h"
#include "reference.h"

namespace heddle::conformance {
namespace {

/// The value of any format of up to 32 bits.
double value_of(const Format& format, u64 bits) {
  if (format.bits == 32) return std::bit_cast<float>(static_cast<u32>(bits));
  const u64 magnitude = bits & (format.sign() - 1);
  const int fraction_bits = format.precision - 1;
  const double sign = bits & format.sign() ? -1 : 1;
  if (magnitude > format.infinity()) return NAN;
  if (magnitude == format.infinity()) return sign * INFINITY;
  const int biased = int(magnitude >> fraction_bits);
  const u64 fraction = magnitude & ((u64{1} << fraction_bits) - 1);
  const u64 significand = biased ? fraction | u64{1} << fraction_bits : fraction;
  return sign * std::ldexp(double(significand),
                           (biased ? biased : 1) - format.max_exponent - fraction_bits);
}

/// The allowed error of a result.
struct Bound {
  enum class Kind : u8 { relative, absolute, ulp, none } kind;
  double most;
};

struct Function {
  std::string_view mnemonic;
  Format format;
  bool ftz;
  double (*truth)(double);
  Bound (*bound)(double x);
};

double unit_of(const Format& format, double x) {
  const int exponent =
      x == 0 ? format.min_exponent() : std::max(std::ilogb(x), format.min_exponent());
  return std::ldexp(1.0, exponent - (format.precision - 1));
}

double largest(const Format& format) {
  return std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.max_exponent);
}

bool is_near(const Format& format, bool ftz, Bound bound, double truth, double got) {
  if (bound.kind == Bound::Kind::none) return true;
  const double error = std::fabs(got - truth);
  // A sufficient bound, which nearly all results meet; a unit is at least 2^-precision of the
  // number.
  const double surely = bound.kind == Bound::Kind::absolute ? bound.most
                        : bound.kind == Bound::Kind::relative
                            ? bound.most * std::fabs(truth)
                            : bound.most * 0x1p-24 * std::fabs(truth);
  if (error <= surely && truth != 0) return true;
  if (std::isnan(truth) || std::isnan(got)) return std::isnan(truth) && std::isnan(got);
  if (std::isinf(truth) || truth == 0) {
    return got == truth && std::signbit(got) == std::signbit(truth);
  }
  const double unit = unit_of(format, truth);
  const double allowed = bound.kind == Bound::Kind::relative   ? bound.most * std::fabs(truth)
                         : bound.kind == Bound::Kind::absolute ? bound.most
                                                               : bound.most * unit;
  // 2^-40 allows for the error of the C library.
  if (error <= allowed + std::ldexp(std::fabs(truth), -40)) return true;
  if (std::isinf(got))
    return std::fabs(truth) + allowed > largest(format) && (got > 0) == (truth > 0);
  const double smallest = std::ldexp(1.0, format.min_exponent());
  if (std::fabs(truth) < smallest) {
    // A relative error bound does not apply to subnormal results; with flushing the result is 0.
    return (ftz && got == 0 && std::signbit(got) == std::signbit(truth)) || (!ftz && error <= unit);
  }
  return ftz && got == 0 && std::fabs(truth) - allowed < smallest;
}

constexpr Bound::Kind kRelative = Bound::Kind::relative, kAbsolute = Bound::Kind::absolute,
                      kUlp = Bound::Kind::ulp;

double reciprocal(double x) { return 1 / x; }
double reciprocal_root(double x) { return 1 / std::sqrt(x); }
double root(double x) { return std::sqrt(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double logarithm(double x) { return x == 0 ? -INFINITY : std::log2(x); }
double power(double x) { return std::exp2(x); }
double tangent(double x) { return std::tanh(x); }

Bound one_ulp(double) { return {kUlp, 1}; }
Bound two_ulp(double) { return {kUlp, 2.5}; }  // from the rounded result
Bound root_error(double) { return {kRelative, std::ldexp(1, -23)}; }
Bound reciprocal_root_error(double) { return {kRelative, std::exp2(-22.9)}; }
Bound logarithm_error(double x) {
  return {x > 0.5 && x < 2 ? kAbsolute : kRelative, std::ldexp(1, -22)};
}
Bound circle_error(double x) {
  constexpr double kPi = std::numbers::pi;
  if (std::fabs(x) <= 2 * kPi) return {kAbsolute, std::exp2(-20.5)};
  if (std::fabs(x) <= 100 * kPi || !std::isfinite(x)) return {kAbsolute, std::exp2(-14.7)};
  return {Bound::Kind::none, 0};
}
/// The bound of sin is absolute, so near zero any sign, and zero, is allowed.
Bound tangent_error(double) { return {kRelative, std::ldexp(1, -11)}; }

constexpr Function kFunctions[] = {
    {"rcp.approx.f32", kF32, false, reciprocal, one_ulp},
    {"rcp.approx.ftz.f32", kF32, true, reciprocal, one_ulp},
    {"sqrt.approx.f32", kF32, false, root, root_error},
    {"sqrt.approx.ftz.f32", kF32, true, root, root_error},
    {"rsqrt.approx.f32", kF32, false, reciprocal_root, reciprocal_root_error},
    {"rsqrt.approx.ftz.f32", kF32, true, reciprocal_root, reciprocal_root_error},
    {"sin.approx.f32", kF32, false, sine, circle_error},
    {"sin.approx.ftz.f32", kF32, true, sine, circle_error},
    {"cos.approx.f32", kF32, false, cosine, circle_error},
    {"cos.approx.ftz.f32", kF32, true, cosine, circle_error},
    {"lg2.approx.f32", kF32, false, logarithm, logarithm_error},
    {"lg2.approx.ftz.f32", kF32, true, logarithm, logarithm_error},
    {"ex2.approx.f32", kF32, false, power, two_ulp},
    {"ex2.approx.ftz.f32", kF32, true, power, two_ulp},
    {"tanh.approx.f32", kF32, false, tangent, tangent_error},
    {"ex2.approx.f16", kF16, false, power,
     [](double) { return Bound{kRelative, std::exp2(-9.9)}; }},
    {"ex2.approx.ftz.bf16", kBf16, true, power,
     [](double) { return Bound{kRelative, std::exp2(-7)}; }},
    {"tanh.approx.f16", kF16, false, tangent,
     [](double) { return Bound{kAbsolute, std::exp2(-10.987)}; }},
    {"tanh.approx.bf16", kBf16, false, tangent,
     [](double) { return Bound{kAbsolute, std::exp2(-8)}; }},
};

u64 flush(const Format& format, bool ftz, u64 bits) {
  return ftz && format.is_subnormal(bits) ? bits & format.sign() : bits;
}

Family family(const Function& function, u64 cases) {
  const Instruction instruction = Instruction::find(function.mnemonic).value();
  const u64 all = u64{1} << function.format.bits;
  const u64 blocks = std::min(cases, all) / kLanes;
  // If not all inputs are tried, an odd step visits every exponent.
  const u64 step = cases >= all ? 1 : (all / cases) | 1;
  const bool in_any_mode = std::ranges::count(jit::kAlikeInAnyMode, function.mnemonic) != 0;
  return {std::string(function.mnemonic), blocks, [=](u64 first, u64 last, Log& log) {
            Family::Count count;
            Values in[1], out, other;
            const Format& format = function.format;
            for (u64 block = first; block < last; ++block) {
              for (u32 lane = 0; lane < kLanes; ++lane)
                in[0][lane] = (block * kLanes + lane) * step & (all - 1);
              instruction.run(in, out);
              if (in_any_mode) {
                const jit::FloatMode zeroes(true);
                instruction.run(in, other);
                for (u32 lane = 0; lane < kLanes; ++lane) {
                  if (other[lane] == out[lane]) continue;
                  ++count.mismatches;
                  log.mismatch(fmt::format(
                      "{} 0x{:x}: 0x{:x} where subnormal operands are zero, else 0x{:x}",
                      function.mnemonic, in[0][lane], other[lane], out[lane]));
                }
              }
              for (u32 lane = 0; lane < kLanes; ++lane) {
                const double x = value_of(format, flush(format, function.ftz, in[0][lane]));
                const Bound bound = function.bound(x);
                if (bound.kind == Bound::Kind::none) continue;
                ++count.cases;
                const double truth = function.truth(x), got = value_of(format, out[lane]);
                if (is_near(format, function.ftz, bound, truth, got)) continue;
                ++count.mismatches;
                log.mismatch(fmt::format("{} 0x{:x} ({}): got 0x{:x} ({}), the truth is {}",
                                         function.mnemonic, in[0][lane], x, out[lane], got, truth));
              }
            }
            return count;
          }};
}

/// Division; the error bound of approx holds for divisors in [2^-126, 2^126].
Family quotient(std::string_view mnemonic, bool approx, bool ftz, u64 cases) {
  const Instruction instruction = Instruction::find(mnemonic).value();
  return {std::string(mnemonic), cases / kLanes, [=](u64 first, u64 last, Log& log) {
            Family::Count count;
            Values in[2], out;
            for (u64 block = first; block < last; ++block) {
              Numbers numbers(block);
              for (u32 lane = 0; lane < kLanes; ++lane) {
                in[0][lane] = numbers.number(kF32);
                in[1][lane] = numbers.number(kF32);
              }
              instruction.run(in, out);
              for (u32 lane = 0; lane < kLanes; ++lane) {
                const double a = value_of(kF32, flush(kF32, ftz, in[0][lane]));
                const double b = value_of(kF32, flush(kF32, ftz, in[1][lane]));
                const double size = std::fabs(b);
                if (approx && (size < 0x1p-126 || size > 0x1p126) && std::isfinite(b) && b != 0) {
                  continue;
                }
                ++count.cases;
                const double truth = a / b, got = value_of(kF32, out[lane]);
                if (is_near(kF32, ftz, {kUlp, 2}, truth, got)) continue;
                ++count.mismatches;
                log.mismatch(describe(instruction, mnemonic, in, lane, out[lane],
                                      std::bit_cast<u32>(static_cast<float>(truth))));
              }
            }
            return count;
          }};
}

}  // namespace

std::vector<Family> approximate_families(const Scale& scale) {
  std::vector<Family> families;
  for (const Function& function : kFunctions) families.push_back(family(function, scale.spread));
  families.push_back(quotient("div.approx.f32", true, false, scale.random));
  families.push_back(quotient("div.approx.ftz.f32", true, true, scale.random));
  families.push_back(quotient("div.full.f32", false, false, scale.random));
  families.push_back(quotient("div.full.ftz.f32", false, true, scale.random));
  return families;
}

}  // namespace heddle::conformance
