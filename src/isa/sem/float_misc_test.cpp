// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// min and max against the manual's definition (PTX ISA 9.7.3.11), for every pair of special values.

#include "isa/sem/float_misc.h"

#include <cmath>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

constexpr u32 kOperands[] = {0,          0x80000000, 1,          0x80000001, 0x3f800000,
                             0xbf800000, 0x40000000, 0xc0000000, 0x7f7fffff, 0x7f800000,
                             0xff800000, 0x7f800001, 0xffc00002, 0x7fffffff};

/// Orders numbers with -0 below +0.
bool below(f32 a, f32 b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

u32 expected(bool max, bool nan, bool xorsign, f32 a, f32 b) {
  const u32 sign = xorsign ? (bits_of(a) ^ bits_of(b)) & 0x80000000 : 0;
  if (xorsign) a = std::fabs(a), b = std::fabs(b);
  f32 result;
  if (nan ? std::isnan(a) || std::isnan(b) : std::isnan(a) && std::isnan(b)) return kNanF32;
  if (std::isnan(a))
    result = b;
  else if (std::isnan(b))
    result = a;
  else
    result = below(a, b) != max ? a : b;
  return bits_of(result) | sign;
}

template <bool kMax, bool kNan, bool kXorsign>
void check() {
  for (const u32 a : kOperands) {
    for (const u32 b : kOperands) {
      EXPECT_EQ(bits_of(extreme_f32<kMax, false, kNan, kXorsign>(as_f32(a), as_f32(b))),
                expected(kMax, kNan, kXorsign, as_f32(a), as_f32(b)))
          << std::hex << a << " " << b << (kMax ? " max" : " min") << (kNan ? ".NaN" : "")
          << (kXorsign ? ".xorsign.abs" : "");
    }
  }
}
TEST(FloatMisc, MinMax) {
  check<false, false, false>();
  check<false, false, true>();
  check<false, true, false>();
  check<false, true, true>();
  check<true, false, false>();
  check<true, false, true>();
  check<true, true, false>();
  check<true, true, true>();
}

TEST(FloatMisc, TestpPartitionsTheNumbers) {
  for (const u32 bits : kOperands) {
    const f32 x = as_f32(bits);
    EXPECT_EQ(testp(Testop::number, x), !testp(Testop::notanumber, x));
    EXPECT_EQ(testp(Testop::normal, x) + testp(Testop::subnormal, x) + testp(Testop::infinite, x) +
                  testp(Testop::notanumber, x),
              1);
    EXPECT_EQ(testp(Testop::finite, x), testp(Testop::normal, x) || testp(Testop::subnormal, x));
  }
}

}  // namespace
}  // namespace heddle::sem
