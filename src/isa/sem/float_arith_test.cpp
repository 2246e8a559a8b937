// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host arithmetic with the rules around it (NaN, `.ftz`, `.sat`) against the soft core with the
// same rules applied by hand.

#include "isa/sem/float_arith.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

std::vector<u32> operands() {
  std::vector<u32> values;
  for (const u32 magnitude :
       {0u, 1u, 0x400000u, 0x7fffffu, 0x800000u, 0x800001u, 0x3f000000u, 0x3f7fffffu, 0x3f800000u,
        0x3f800001u, 0x40000000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fffffffu}) {
    values.push_back(magnitude);
    values.push_back(magnitude | 0x80000000);
  }
  std::mt19937 random(11);
  for (int i = 0; i < 75; ++i) values.push_back(random());
  for (int i = 0; i < 75; ++i) values.push_back((random() & 0x80ffffff) + 0x3f000000);  // near 1
  return values;
}

u32 flushed(bool ftz, u32 bits) {
  return ftz && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

/// The result of an instruction for the exactly rounded result.
u32 finished(bool ftz, bool sat, u32 bits) {
  bits = flushed(ftz, bits);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  if (!sat) return nan ? kNanF32 : bits;
  if (nan || (bits & 0x80000000) != 0) return 0;
  return bits > 0x3f800000 ? 0x3f800000 : bits;
}

template <bool kFtz, bool kSat>
void check_all() {
  const Flag ftz = kFtz ? Flag::on : Flag::off, sat = kSat ? Flag::on : Flag::off;
  const auto values = operands();
  std::mt19937 random(12);
  for (const u32 a : values) {
    for (const u32 b : values) {
      const u32 c = values[random() % values.size()];
      const u32 x = flushed(kFtz, a), y = flushed(kFtz, b), z = flushed(kFtz, c);
      const u32 minus_y = y ^ 0x80000000;
      const f32 p = as_f32(a), q = as_f32(b), r = as_f32(c);
      for (const Rnd rnd : {Rnd::rn, Rnd::rz, Rnd::rm, Rnd::rp}) {
        const Round mode = round_of(rnd);
        const u32 sum = finished(kFtz, kSat, soft_add<FormatF32>(x, y, mode));
        const u32 difference = finished(kFtz, kSat, soft_add<FormatF32>(x, minus_y, mode));
        const u32 product = finished(kFtz, kSat, soft_mul<FormatF32>(x, y, mode));
        const u32 fused_sum = finished(kFtz, kSat, soft_fma<FormatF32>(x, y, z, mode));
        ASSERT_EQ(bits_of(add_f32_directed(rnd, ftz, sat, p, q)), sum) << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(sub_f32_directed(rnd, ftz, sat, p, q)), difference)
            << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(mul_f32_directed(rnd, ftz, sat, p, q)), product)
            << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(fma_f32_directed(rnd, ftz, sat, p, q, r)), fused_sum)
            << std::hex << a << " " << b << " " << c;
        if (rnd != Rnd::rn) continue;
        ASSERT_EQ(bits_of(add_f32<kFtz, kSat>(p, q)), sum) << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(sub_f32<kFtz, kSat>(p, q)), difference) << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(mul_f32<kFtz, kSat>(p, q)), product) << std::hex << a << " " << b;
        ASSERT_EQ(bits_of(fma_f32<kFtz, kSat>(p, q, r)), fused_sum)
            << std::hex << a << " " << b << " " << c;
      }
    }
  }
}
TEST(FloatArith, Plain) { check_all<false, false>(); }
TEST(FloatArith, Flushing) { check_all<true, false>(); }
TEST(FloatArith, Saturating) { check_all<false, true>(); }
TEST(FloatArith, FlushingAndSaturating) { check_all<true, true>(); }

// The result is the first NaN operand, quieted, whatever the host's instruction gives.
TEST(FloatArith, F64NanPayloads) {
  const f64 first = as_f64(0x7ff0000000000001), second = as_f64(0xfff8000000000002);
  const u64 quiet_first = 0x7ff8000000000001, quiet_second = 0xfff8000000000002;
  EXPECT_EQ(bits_of(add_f64(first, second)), quiet_first);
  EXPECT_EQ(bits_of(add_f64(second, first)), quiet_second);
  EXPECT_EQ(bits_of(sub_f64(1, first)), quiet_first);
  EXPECT_EQ(bits_of(mul_f64(second, 0)), quiet_second);
  EXPECT_EQ(bits_of(fma_f64(1, second, first)), quiet_second);
  EXPECT_EQ(bits_of(fma_f64(1, 2, first)), quiet_first);
  EXPECT_EQ(bits_of(sub_f64_directed(Rnd::rz, 1, second)), quiet_second);
  EXPECT_EQ(bits_of(mul_f64(as_f64(0x7ff0000000000000), 0)), kNanF64);
}

TEST(FloatArith, PairsAreTwoOperations) {
  const f32x2 a{0x3f80000040000000}, b{0x4040000040800000};
  EXPECT_EQ((add_f32x2<false>(a, b).bits), 0x4080000040c00000u);
  EXPECT_EQ((mul_f32x2<false>(a, b).bits), 0x4040000041000000u);
  EXPECT_EQ(fma_f32x2_directed(Rnd::rp, Flag::off, a, b, f32x2{0x0000000100000001}).bits,
            0x4040000141000001u);
}

}  // namespace
}  // namespace heddle::sem
