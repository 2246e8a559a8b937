// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic against wider arithmetic of the host: products, saturation, 24-bit factors,
// and carry chains that add up to 128-bit arithmetic (PTX ISA 9.7.1, 9.7.2).
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "isa/sem/int_carry.h"
#include "isa/sem/int_div.h"
#include "isa/sem/int_dot.h"
#include "isa/sem/int_minmax.h"

namespace heddle::sem {
namespace {

template <class T>
std::vector<T> integers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> list = {T{0},          T{1},          static_cast<T>(-1),
                         Limits::min(), Limits::max(), static_cast<T>(Limits::max() / 2)};
  std::mt19937_64 random(2);
  for (int i = 0; i < 60; ++i) list.push_back(static_cast<T>(random() >> (random() % 64)));
  return list;
}

s32 clamp(s64 value) {
  return static_cast<s32>(
      std::clamp<s64>(value, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}

TEST(IntArith, SaturationClampsTheExactResult) {
  for (s32 a : integers<s32>()) {
    for (s32 b : integers<s32>()) {
      ASSERT_EQ(add_sat(a, b), clamp(s64{a} + b)) << a << " " << b;
      ASSERT_EQ(sub_sat(a, b), clamp(s64{a} - b)) << a << " " << b;
      ASSERT_EQ(mad_hi_sat(a, b, b), clamp((s64{a} * b >> 32) + b)) << a << " " << b;
    }
  }
}

template <class T>
class Wide : public testing::Test {};
using IntegerTypes = testing::Types<u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(Wide, IntegerTypes);

TYPED_TEST(Wide, ProductsQuotientsDistances) {
  using T = TypeParam;
  using Product = std::conditional_t<std::is_signed_v<T>, s128, u128>;
  constexpr u32 kWidth = 8 * sizeof(T);
  for (T a : integers<T>()) {
    for (T b : integers<T>()) {
      // Exact, but for u64 modulo 2^128, which >> must then take as unsigned.
      const auto product = static_cast<Product>(a) * static_cast<Product>(b);
      ASSERT_EQ(mul_lo(a, b), static_cast<T>(product));
      ASSERT_EQ(mul_hi(a, b), static_cast<T>(product >> kWidth));
      ASSERT_EQ(mad_hi(a, b, b), static_cast<T>((product >> kWidth) + static_cast<Product>(b)));
      const s128 distance = static_cast<s128>(a) - static_cast<s128>(b);
      ASSERT_EQ(sad(a, b, a),
                static_cast<T>(static_cast<s128>(a) + (distance < 0 ? -distance : distance)));
      if (b == 0) {
        ASSERT_EQ(divide(a, b), static_cast<T>(-1));
        ASSERT_EQ(remainder(a, b), static_cast<T>(-1));
      } else {
        ASSERT_EQ(divide(a, b), static_cast<T>(static_cast<s128>(a) / static_cast<s128>(b)));
        ASSERT_EQ(remainder(a, b), static_cast<T>(static_cast<s128>(a) % static_cast<s128>(b)));
      }
    }
  }
}

// Where a quotient rounded up would be wrong: just below, at and above multiples of the divisor.
TYPED_TEST(Wide, QuotientsNextToIntegers) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const T b = static_cast<T>(random() >> (64 - 8 * sizeof(T) + random() % (8 * sizeof(T))));
    if (b <= 0) continue;
    const T top =
        static_cast<T>(std::numeric_limits<T>::max() - (random() >> (random() % 64)) % 1000);
    const T multiple = static_cast<T>(top / b * b);
    for (int step = -1; step <= 1; ++step) {
      const T a = wrap<T>(to_unsigned(multiple) + to_unsigned(step));
      ASSERT_EQ(divide(a, b), static_cast<T>(a / b)) << +a << " " << +b;
      ASSERT_EQ(remainder(a, b), static_cast<T>(a % b)) << +a << " " << +b;
    }
  }
}

TEST(IntArith, Factors24) {
  for (s32 a : integers<s32>()) {
    for (s32 b : integers<s32>()) {
      const auto cut = [](s32 v) { return s64{(v & 0xffffff) - ((v & 0x800000) << 1)}; };
      const u64 unsigned_product = u64{a & 0xffffffu} * (b & 0xffffffu);
      ASSERT_EQ(mul24_lo(a, b), static_cast<s32>(cut(a) * cut(b)));
      ASSERT_EQ(mul24_hi(a, b), static_cast<s32>(cut(a) * cut(b) >> 16));
      ASSERT_EQ(mul24_hi<u32>(static_cast<u32>(a), static_cast<u32>(b)),
                static_cast<u32>(unsigned_product >> 16));
      ASSERT_EQ(mad24_hi_sat(a, b, b), clamp((cut(a) * cut(b) >> 16) + b));
    }
  }
}

u128 join(u64 high, u64 low) { return static_cast<u128>(high) << 64 | low; }

TEST(IntCarry, ChainsAre128BitArithmetic) {
  for (u64 a : integers<u64>()) {
    for (u64 b : integers<u64>()) {
      const u64 a_high = b ^ 0x0123456789abcdef, b_high = a * 3;
      const Two<u64, bool> low = add_carry_out(a, b);
      ASSERT_EQ(join(add_carry_in(a_high, b_high, low.second), low.first),
                join(a_high, a) + join(b_high, b));
      const Two<u64, bool> less = sub_carry_out(a, b);
      ASSERT_EQ(join(sub_carry_in(a_high, b_high, less.second), less.first),
                join(a_high, a) - join(b_high, b));
      ASSERT_EQ(sub_carry(a, b, false).second, static_cast<u128>(a) >= static_cast<u128>(b) + 1);
      ASSERT_EQ(add_carry(a, b, true).second, (static_cast<u128>(a) + b + 1) >> 64 != 0);
    }
  }
}

// The 64 x 64 bit product by 32-bit steps, as in PTX ISA 9.7.2.6.
TEST(IntCarry, MultiwordProduct) {
  for (u64 a : integers<u64>()) {
    for (u64 b : integers<u64>()) {
      const u32 r4 = static_cast<u32>(a), r5 = static_cast<u32>(a >> 32);
      const u32 r6 = static_cast<u32>(b), r7 = static_cast<u32>(b >> 32);
      const u32 r0 = mul_lo(r4, r6);
      Two<u32, bool> r1{mul_hi(r4, r6), false};
      r1 = mad_lo_carry_out(r5, r6, r1.first);
      Two<u32, bool> r2{mad_hi_carry_in(r5, r6, 0u, r1.second), false};
      r1 = mad_lo_carry_out(r4, r7, r1.first);
      r2 = mad_hi_carry(r4, r7, r2.first, r1.second);
      u32 r3 = add_carry_in(0u, 0u, r2.second);
      r2 = mad_lo_carry_out(r5, r7, r2.first);
      r3 = mad_hi_carry_in(r5, r7, r3, r2.second);
      const u64 high = u64{r3} << 32 | r2.first, low = u64{r1.first} << 32 | r0;
      ASSERT_EQ(join(high, low), static_cast<u128>(a) * b) << a << " " << b;
    }
  }
}

TEST(IntDot, SumsOfProducts) {
  for (s32 a : integers<s32>()) {
    for (s32 b : integers<s32>()) {
      s64 sum4 = b, mixed4 = b, low2 = b, high2 = b;
      for (int i = 0; i < 4; ++i) {
        sum4 += s64{static_cast<s8>(a >> (8 * i))} * static_cast<s8>(b >> (8 * i));
        mixed4 += s64{static_cast<u8>(a >> (8 * i))} * static_cast<s8>(b >> (8 * i));
      }
      for (int i = 0; i < 2; ++i) {
        low2 += s64{static_cast<s16>(a >> (16 * i))} * static_cast<u8>(b >> (8 * i));
        high2 += s64{static_cast<s16>(a >> (16 * i))} * static_cast<u8>(b >> (16 + 8 * i));
      }
      const u32 ua = static_cast<u32>(a), ub = static_cast<u32>(b);
      ASSERT_EQ((dot_4<s32, s32>(a, b, b)), static_cast<s32>(sum4));
      ASSERT_EQ((dot_4<u32, s32>(ua, b, b)), static_cast<s32>(mixed4));
      ASSERT_EQ((dot_2<s32, u32, 0>(a, ub, b)), static_cast<s32>(low2));
      ASSERT_EQ((dot_2<s32, u32, 2>(a, ub, b)), static_cast<s32>(high2));
    }
  }
}

TEST(IntMinmax, PackedHalvesAreIndependent) {
  for (s32 a : integers<s32>()) {
    for (s32 b : integers<s32>()) {
      const u32 ua = static_cast<u32>(a), ub = static_cast<u32>(b);
      const auto half = [](u32 v, int i) { return static_cast<s16>(v >> (16 * i)); };
      const s16x2 low = minimum_packed_relu<false>({ua}, {ub}),
                  low_relu = minimum_packed_relu<true>({ua}, {ub});
      const s16x2 high = maximum_packed_relu<false>({ua}, {ub}),
                  sum = add_packed(s16x2{ua}, s16x2{ub});
      for (int i = 0; i < 2; ++i) {
        const s16 x = half(ua, i), y = half(ub, i);
        ASSERT_EQ(half(low.bits, i), std::min(x, y));
        ASSERT_EQ(half(low_relu.bits, i), std::max<s16>(std::min(x, y), 0));
        ASSERT_EQ(half(high.bits, i), std::max(x, y));
        ASSERT_EQ(half(sum.bits, i), static_cast<s16>(x + y));
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sem
