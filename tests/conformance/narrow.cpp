// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to and from the formats of tensor cores (PTX ISA 5.2.3, 9.7.9.21): e4m3, e5m2, e2m3, e3m2,
// e2m1, tf32. Unpacking is tested for all values.
#include <fmt/format.h>

#include "family.h"
#include "numbers.h"
#include "reference.h"

namespace heddle::conformance {
namespace {

/// A format of 8, 6 or 4 bits, with an unlimited exponent range and its largest number.
struct Small {
  Format format;
  u64 largest;
  int width;  ///< bits from one element of a pair to the next
  bool has_nan, has_infinity;
};
constexpr Small kSmall[] = {
    {{"e4m3x2", 8, 4, 7, 0x7f, 300}, 0x7e, 8, true, false},
    {{"e5m2x2", 8, 3, 15, 0x7f, 300}, 0x7b, 8, true, true},
    {{"e2m3x2", 6, 4, 1, 0x1f, 300}, 0x1f, 8, false, false},
    {{"e3m2x2", 6, 3, 3, 0x1f, 300}, 0x1f, 8, false, false},
    {{"e2m1x2", 4, 2, 1, 0x07, 300}, 0x07, 4, false, false},
};

u64 to_small(Reference& reference, const Small& to, const Format& from, bool relu, u64 bits) {
  if (from.is_nan(bits)) return to.format.nan;
  const u64 sign = bits & from.sign() ? to.format.sign() : 0;
  if (relu && sign) return 0;
  if ((bits & (from.sign() - 1)) == from.infinity()) return sign | to.largest;
  reference.load(0, from, bits & (from.sign() - 1));
  const u64 magnitude = reference.compute(Operation::copy, to.format, MPFR_RNDN);
  return sign | std::min(magnitude, to.largest);
}

u64 from_small(Reference& reference, const Small& from, bool relu, u64 bits) {
  const u64 magnitude = bits & (from.format.sign() - 1);
  const u64 sign = bits & from.format.sign() ? kF16.sign() : 0;
  if (from.has_infinity && magnitude == from.largest + 1)
    return relu && sign ? 0 : sign | kF16.infinity();
  if (from.has_nan && magnitude > from.largest) return kF16.nan;
  if (relu && sign) return 0;
  // The same number in a format without infinity at this exponent.
  Format wide = from.format;
  wide.bits = 32;
  reference.load(0, wide, magnitude);
  return sign | reference.compute(Operation::copy, kF16, MPFR_RNDN);
}

/// `expect` gets the values of all operands in one lane.
template <class Input, class Expect>
void add(std::vector<Family>& families, const std::string& name, u64 cases, Input input,
         Expect expect) {
  const auto found = Instruction::find(name);
  if (!found) return;
  const Instruction instruction = *found;
  families.push_back({name, (cases + kLanes - 1) / kLanes, [=](u64 first, u64 last, Log& log) {
                        Reference reference;
                        Family::Count count;
                        Values in[2], out;
                        for (u64 block = first; block < last; ++block) {
                          Numbers numbers(block);
                          for (u32 lane = 0; lane < kLanes; ++lane) {
                            in[0][lane] = input(numbers, block * kLanes + lane);
                            in[1][lane] = input(numbers, block * kLanes + lane);
                          }
                          instruction.run(in, out);
                          for (u32 lane = 0; lane < kLanes; ++lane) {
                            const u64 expected = expect(reference, in[0][lane], in[1][lane]);
                            ++count.cases;
                            if (out[lane] == expected) continue;
                            ++count.mismatches;
                            log.mismatch(
                                describe(instruction, name, in, lane, out[lane], expected));
                          }
                        }
                        return count;
                      }});
}

void small(std::vector<Family>& families, const Small& format, bool relu, u64 cases) {
  const std::string_view flag = relu ? ".relu" : "", name = format.format.name;
  const int width = format.width;
  add(
      families, fmt::format("cvt.rn.satfinite{}.{}.f32", flag, name), cases,
      [](Numbers& numbers, u64) { return numbers.number(kF32); },
      [=](Reference& reference, u64 a, u64 b) {
        return to_small(reference, format, kF32, relu, a) << width |
               to_small(reference, format, kF32, relu, b);
      });
  for (const Format& half : {kF16, kBf16}) {
    add(
        families, fmt::format("cvt.rn.satfinite{}.{}.{}x2", flag, name, half.name), cases,
        [half](Numbers& numbers, u64) { return numbers.number(half) << 16 | numbers.number(half); },
        [=](Reference& reference, u64 pair, u64) {
          return to_small(reference, format, half, relu, pair >> 16) << width |
                 to_small(reference, format, half, relu, pair & 0xffff);
        });
  }
  add(
      families, fmt::format("cvt.rn{}.f16x2.{}", flag, name), u64{1} << 2 * width,
      [=](Numbers&, u64 number) { return number & ((u64{1} << 2 * width) - 1); },
      [=](Reference& reference, u64 pair, u64) {
        const u64 mask = format.format.sign() * 2 - 1;
        return from_small(reference, format, relu, pair >> width & mask) << 16 |
               from_small(reference, format, relu, pair & mask);
      });
}

void tf32(std::vector<Family>& families, bool relu, bool satfinite, u64 cases) {
  constexpr Format kTf32 = {"tf32", 19, 11, 127, 0x3ffff};
  constexpr std::string_view kWords[] = {"rn", "rz"};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    const mpfr_rnd_t rounding = kRoundings[i];
    add(
        families,
        fmt::format("cvt.{}{}{}.tf32.f32", kWords[i], satfinite ? ".satfinite" : "",
                    relu ? ".relu" : ""),
        cases, [](Numbers& numbers, u64) { return numbers.number(kF32); },
        [=](Reference& reference, u64 bits, u64) -> u64 {
          if (kF32.is_nan(bits)) return kF32.nan;
          if (relu && (bits & kF32.sign())) return 0;
          reference.load(0, kF32, bits);
          const u64 result = reference.compute(Operation::copy, kTf32, rounding);
          const bool infinite = (result & (kTf32.sign() - 1)) == kTf32.infinity();
          return (result - (satfinite && infinite)) << 13;
        });
  }
}

}  // namespace

std::vector<Family> narrow_families(const Scale& scale) {
  std::vector<Family> families;
  const u64 cases = scale.random / 10;
  for (const bool relu : {false, true}) {
    for (const Small& format : kSmall) small(families, format, relu, cases);
    for (const bool satfinite : {false, true}) tf32(families, relu, satfinite, cases);
  }
  return families;
}

}  // namespace heddle::conformance
