// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between integers, f16, bf16, f32 and f64, in every rounding (PTX ISA 9.7.9.21). All values of
// sources of 8 and 16 bits.
#include <fmt/format.h>

#include "family.h"
#include "numbers.h"
#include "reference.h"

namespace heddle::conformance {
namespace {

struct Integer {
  std::string_view name;
  int bits;
  bool is_signed;
};
constexpr Integer kIntegers[] = {{"u8", 8, false},   {"s8", 8, true},    {"u16", 16, false},
                                 {"s16", 16, true},  {"u32", 32, false}, {"s32", 32, true},
                                 {"u64", 64, false}, {"s64", 64, true}};
constexpr Format kFloats[] = {kF16, kBf16, kF32, kF64};
constexpr std::string_view kRoundingWords[] = {"rn", "rz", "rm", "rp"};
constexpr std::string_view kIntegerRoundings[] = {"rni", "rzi", "rmi", "rpi"};

/// `input` makes a value from random numbers; `expect` gives its expected result.
template <class Input, class Expect>
void add(std::vector<Family>& families, const std::string& name, int source_bits, u64 cases,
         Input input, Expect expect) {
  const auto found = Instruction::find(name);
  if (!found) return;
  const bool whole = source_bits <= 16;
  const u64 all = u64{1} << std::min(source_bits, 16);
  const Instruction instruction = *found;
  families.push_back(
      {name, ((whole ? all : cases) + kLanes - 1) / kLanes, [=](u64 first, u64 last, Log& log) {
         Reference reference;
         Family::Count count;
         Values in[1], out;
         for (u64 block = first; block < last; ++block) {
           Numbers numbers(block);
           for (u32 lane = 0; lane < kLanes; ++lane)
             in[0][lane] = whole ? block * kLanes + lane : input(numbers);
           instruction.run(in, out);
           for (u32 lane = 0; lane < kLanes; ++lane) {
             const u64 expected = expect(reference, in[0][lane]);
             ++count.cases;
             if (out[lane] == expected) continue;
             ++count.mismatches;
             log.mismatch(describe(instruction, name, in, lane, out[lane], expected));
           }
         }
         return count;
       }});
}

u64 flush_single(const Format& format, bool ftz, u64 bits) {
  const bool flushes = ftz && format.bits == 32 && format.is_subnormal(bits);
  return flushes ? bits & format.sign() : bits;
}

u64 saturate(const Format& format, u64 bits) {
  if (format.is_nan(bits) || (bits & format.sign())) return 0;
  return std::min(bits, format.one());
}

/// The conversion of a NaN: a wider format keeps the payload of f32 and bf16, otherwise the result
/// is canonical.
u64 converted_nan(const Format& to, const Format& from, u64 bits) {
  if (to.bits == 32 && from.precision == 8) return bits << 16;
  if (to.bits == 64) {
    const u64 single = from.precision == 24 ? bits : 0x7fffffff;
    return single >> 31 << 63 | 0x7ff8000000000000 | (single & 0x3fffff) << 29;
  }
  return to.bits == 64 ? u64{0x7ff8000000000000} : to.nan;
}

struct FloatToFloat {
  Format to, from;
  mpfr_rnd_t rounding;
  bool ftz = false, sat = false, relu = false, satfinite = false;

  u64 operator()(Reference& reference, u64 bits) const {
    // In a conversion to f16, GPUs do not flush the operand (docs/exactness.md).
    const u64 source = flush_single(from, ftz && to.name != "f16", bits);
    if (from.is_nan(source)) return sat ? 0 : converted_nan(to, from, source);
    reference.load(0, from, source);
    u64 result = reference.compute(Operation::copy, to, rounding);
    const bool negative = (source & from.sign()) != 0;
    if (sat) result = saturate(to, result);
    if (relu && negative) result = 0;
    const u64 magnitude = result & (to.sign() - 1);
    if (satfinite && magnitude == to.infinity()) --result;
    return flush_single(to, ftz, result);
  }
};

void float_to_float(std::vector<Family>& families, u64 cases) {
  for (const Format& to : kFloats) {
    for (const Format& from : kFloats) {
      if (to.name == from.name) continue;
      for (u32 flags = 0; flags < 16; ++flags) {
        const bool ftz = flags & 1, sat = flags & 2, relu = flags & 4, satfinite = flags & 8;
        const std::string words =
            fmt::format("{}{}{}{}.{}.{}", ftz ? ".ftz" : "", sat ? ".sat" : "", relu ? ".relu" : "",
                        satfinite ? ".satfinite" : "", to.name, from.name);
        const auto input = [from](Numbers& numbers) { return numbers.number(from); };
        for (std::size_t i = 0; i < std::size(kRoundings); ++i) {
          add(families, fmt::format("cvt.{}{}", kRoundingWords[i], words), from.bits, cases, input,
              FloatToFloat{to, from, kRoundings[i], ftz, sat, relu, satfinite});
        }
        add(families, "cvt" + words, from.bits, cases, input,
            FloatToFloat{to, from, MPFR_RNDN, ftz, sat, relu, satfinite});
      }
    }
  }
}

void float_to_integral(std::vector<Family>& families, u64 cases) {
  for (const Format& format : kFloats) {
    for (const bool ftz : {false, true}) {
      for (std::size_t i = 0; i < std::size(kRoundings); ++i) {
        const mpfr_rnd_t rounding = kRoundings[i];
        add(
            families,
            fmt::format("cvt.{}{}.{}.{}", kIntegerRoundings[i], ftz ? ".ftz" : "", format.name,
                        format.name),
            format.bits, cases, [format](Numbers& numbers) { return numbers.number(format); },
            [=](Reference& reference, u64 bits) {
              const u64 source = flush_single(format, ftz, bits);
              if (format.is_nan(source))
                return format.bits == 64 ? source | u64{1} << 51 : format.nan;
              reference.load(0, format, source);
              reference.round_integral(rounding);
              const u64 result = reference.compute(Operation::copy, format, MPFR_RNDN);
              return (result & (format.sign() - 1)) | (source & format.sign());
            });
      }
    }
  }
}

void float_to_integer(std::vector<Family>& families, u64 cases) {
  for (const Integer& to : kIntegers) {
    for (const Format& from : kFloats) {
      for (const bool ftz : {false, true}) {
        for (std::size_t i = 0; i < std::size(kRoundings); ++i) {
          const mpfr_rnd_t rounding = kRoundings[i];
          const bool high_nan = from.bits == 64 || to.bits == 64;
          add(
              families,
              fmt::format("cvt.{}{}.{}.{}", kIntegerRoundings[i], ftz ? ".ftz" : "", to.name,
                          from.name),
              from.bits, cases, [from](Numbers& numbers) { return numbers.number(from); },
              [=](Reference& reference, u64 bits) {
                if (from.is_nan(bits)) return high_nan ? u64{1} << (to.bits - 1) : 0;
                reference.load(0, from, flush_single(from, ftz, bits));
                return reference.integer(to.bits, to.is_signed, rounding);
              });
        }
      }
    }
  }
}

void integer_to_float(std::vector<Family>& families, u64 cases) {
  for (const Format& to : kFloats) {
    for (const Integer& from : kIntegers) {
      for (const bool sat : {false, true}) {
        for (std::size_t i = 0; i < std::size(kRoundings); ++i) {
          const mpfr_rnd_t rounding = kRoundings[i];
          add(
              families,
              fmt::format("cvt.{}{}.{}.{}", kRoundingWords[i], sat ? ".sat" : "", to.name,
                          from.name),
              from.bits, cases, [from](Numbers& numbers) { return numbers.integer(from.bits); },
              [=](Reference& reference, u64 bits) {
                if (from.is_signed) {
                  const int shift = 64 - from.bits;
                  reference.load_signed(0, static_cast<s64>(bits << shift) >> shift);
                } else {
                  reference.load_unsigned(0, bits);
                }
                const u64 result = reference.compute(Operation::copy, to, rounding);
                return sat ? saturate(to, result) : result;
              });
        }
      }
    }
  }
}

}  // namespace

std::vector<Family> conversion_families(const Scale& scale) {
  std::vector<Family> families;
  const u64 cases = scale.random / 10;
  float_to_float(families, cases);
  float_to_integral(families, cases);
  float_to_integer(families, cases);
  integer_to_float(families, cases);
  return families;
}

}  // namespace heddle::conformance
