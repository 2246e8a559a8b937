// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, fma, div, sqrt, rcp of f32 and f64 in four roundings, of f16 and bf16 to nearest,
// with `.ftz` and `.sat` (PTX ISA 9.7.3, 9.7.4).
#include <fmt/format.h>

#include "family.h"
#include "numbers.h"
#include "reference.h"

namespace heddle::conformance {
namespace {

struct Named {
  Operation operation;
  std::string_view opcode;
  u32 sources;
};
constexpr Named kOperations[] = {
    {Operation::add, "add", 2}, {Operation::sub, "sub", 2}, {Operation::mul, "mul", 2},
    {Operation::fma, "fma", 3}, {Operation::div, "div", 2}, {Operation::sqrt, "sqrt", 1},
    {Operation::rcp, "rcp", 1},
};
constexpr std::string_view kRoundingWords[] = {"rn", "rz", "rm", "rp"};

struct Variant {
  Named named;
  Format format;
  mpfr_rnd_t rounding;
  bool ftz, sat;

  u64 flush(u64 bits) const {
    return ftz && format.is_subnormal(bits) ? bits & format.sign() : bits;
  }

  u64 expect(Reference& reference, const u64* in) const {
    u64 flushed[3];
    for (u32 i = 0; i < named.sources; ++i) {
      flushed[i] = flush(in[i]);
      reference.load(int(i), format, flushed[i]);
    }
    const u64 result = flush(reference.compute(named.operation, format, rounding));
    const bool nan = format.is_nan(result);
    if (sat) {
      if (nan || (result & format.sign())) return 0;
      return result > format.one() ? format.one() : result;
    }
    if (!nan) return result;
    if (format.bits == 64) {  // the first NaN among the operands, quieted
      for (u32 i = 0; i < named.sources; ++i) {
        if (format.is_nan(in[i])) return in[i] | u64{1} << (format.precision - 2);
      }
    }
    return format.nan;
  }
};

Family family(const Variant& variant, const std::string& name, const Instruction& instruction,
              u64 cases) {
  return {name, (cases + kLanes - 1) / kLanes, [=](u64 first, u64 last, Log& log) {
            Reference reference;
            Family::Count count;
            Values in[3], out;
            for (u64 block = first; block < last; ++block) {
              Numbers numbers(block);
              for (u32 lane = 0; lane < kLanes; ++lane) {
                in[0][lane] = numbers.number(variant.format);
                in[1][lane] = numbers.number_near(variant.format, in[0][lane]);
                in[2][lane] = numbers.number(variant.format);
                if (variant.named.sources == 3 && numbers.below(4) == 0) {
                  // An addend that cancels the product.
                  reference.load(0, variant.format, in[0][lane]);
                  reference.load(1, variant.format, in[1][lane]);
                  const u64 product = reference.compute(Operation::mul, variant.format, MPFR_RNDN);
                  in[2][lane] = product ^ variant.format.sign() ^ numbers.below(2);
                }
              }
              instruction.run(in, out);
              for (u32 lane = 0; lane < kLanes; ++lane) {
                const u64 operands[] = {in[0][lane], in[1][lane], in[2][lane]};
                const u64 expected = variant.expect(reference, operands);
                ++count.cases;
                if (out[lane] == expected) continue;
                ++count.mismatches;
                log.mismatch(describe(instruction, name, in, lane, out[lane], expected));
              }
            }
            return count;
          }};
}

}  // namespace

std::vector<Family> ieee_families(const Scale& scale) {
  std::vector<Family> families;
  for (const Format& format : {kF32, kF64, kF16, kBf16}) {
    for (const Named& named : kOperations) {
      for (std::size_t rounding = 0; rounding < std::size(kRoundings); ++rounding) {
        for (const bool ftz : {false, true}) {
          for (const bool sat : {false, true}) {
            const std::string name =
                fmt::format("{}.{}{}{}.{}", named.opcode, kRoundingWords[rounding],
                            ftz ? ".ftz" : "", sat ? ".sat" : "", format.name);
            const auto instruction = Instruction::find(name);
            if (!instruction) continue;
            const Variant variant{named, format, kRoundings[rounding], ftz, sat};
            const u64 cases = ftz || sat ? scale.random / 4 : scale.random;
            families.push_back(family(variant, name, *instruction, cases));
          }
        }
      }
    }
  }
  return families;
}

}  // namespace heddle::conformance
