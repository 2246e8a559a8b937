// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast paths of f16 and bf16 against the soft core: conversions exhaustively or near every
// rounding boundary, arithmetic on random pairs that are often close in exponent.

#include "isa/sem/half_arith.h"

#include <random>

#include <gtest/gtest.h>

#include "isa/sem/cvt.h"

namespace heddle::sem {
namespace {

template <class E>
E half(u32 bits) {
  return {static_cast<u16>(bits)};
}

template <class E>
class Half : public ::testing::Test {};
using HalfTypes = ::testing::Types<f16, bf16>;
TYPED_TEST_SUITE(Half, HalfTypes);

TYPED_TEST(Half, WidensEveryValue) {
  using F = FormatOf<TypeParam>;
  for (u32 bits = 0; bits < 65536; ++bits) {
    const auto x = half<TypeParam>(bits);
    ASSERT_EQ(bits_of(to_f32(x)), (soft_convert<FormatF32, F>(x.bits, Round::nearest_even)))
        << bits;
    ASSERT_EQ(narrow<TypeParam>(to_f32(x)), canonical_half(x)) << bits;
    ASSERT_EQ(narrow<TypeParam>(to_f64(to_f32(x))), canonical_half(x)) << bits;
  }
}

TYPED_TEST(Half, NarrowsF32) {
  using F = FormatOf<TypeParam>;
  const auto check = [](u32 bits) {
    ASSERT_EQ(narrow<TypeParam>(as_f32(bits)).bits,
              (soft_convert<F, FormatF32>(bits, Round::nearest_even)))
        << std::hex << bits;
  };
  for (u32 high = 0; high < 65536; ++high) {  // around every boundary that 16 leading bits can show
    for (const u32 low :
         {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      check((high << 16) | low);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) check(random());
}

TYPED_TEST(Half, NarrowsF64) {
  using F = FormatOf<TypeParam>;
  std::mt19937_64 random(2);
  for (u32 bits = 0; bits < 65535;
       ++bits) {  // a value, the midpoint above it, and their neighbours
    const f64 value = to_f64(to_f32(half<TypeParam>(bits)));
    const f64 next = to_f64(to_f32(half<TypeParam>(bits + 1)));
    for (const f64 base : {value, (value + next) / 2}) {
      for (const s64 step : {-1, 0, 1}) {
        const u64 x = bits_of(base) + static_cast<u64>(step);
        ASSERT_EQ(narrow<TypeParam>(as_f64(x)).bits,
                  (soft_convert<F, FormatF64>(x, Round::nearest_even)))
            << std::hex << x;
      }
    }
  }
  for (int i = 0; i < 200'000; ++i) {
    const u64 x = random();
    ASSERT_EQ(narrow<TypeParam>(as_f64(x)).bits,
              (soft_convert<F, FormatF64>(x, Round::nearest_even)));
  }
}

TYPED_TEST(Half, Arithmetic) {
  using E = TypeParam;
  using F = FormatOf<E>;
  std::mt19937 random(3);
  for (int i = 0; i < 300'000; ++i) {
    const u32 bits = random();
    const u16 a = static_cast<u16>(bits);
    u16 b = static_cast<u16>(bits >> 16);
    if (i % 2 != 0) b = static_cast<u16>((a & 0x7c00) + (b & 0x8fff));  // close exponents
    const u16 c = static_cast<u16>(random() >> (i % 3 == 0 ? 0 : 8));
    const auto nearest = Round::nearest_even;
    ASSERT_EQ(add_bf16(E{a}, E{b}).bits, soft_add<F>(a, b, nearest)) << std::hex << a << " " << b;
    ASSERT_EQ(sub_bf16(E{a}, E{b}).bits, soft_add<F>(a, static_cast<u16>(b ^ 0x8000), nearest));
    ASSERT_EQ(mul_bf16(E{a}, E{b}).bits, soft_mul<F>(a, b, nearest)) << std::hex << a << " " << b;
    ASSERT_EQ(fma_bf16(Flag::off, E{a}, E{b}, E{c}).bits, soft_fma<F>(a, b, c, nearest))
        << std::hex << a << " " << b << " " << c;
  }
}

// Products that end in a tie, with a tiny addend: rounding the sum twice, in f64 first, would be
// wrong.
TYPED_TEST(Half, FusedTies) {
  using E = TypeParam;
  using F = FormatOf<E>;
  for (u32 a = 0x3c00; a < 0x3c00 + 1024; a += 3) {
    for (u32 b = 0x3f80; b < 0x3f80 + 128; ++b) {
      for (const u32 c : {0x0001u, 0x8001u, 0x0080u, 0x8400u}) {
        ASSERT_EQ(fma_bf16(Flag::off, half<E>(a), half<E>(b), half<E>(c)).bits,
                  soft_fma<F>(static_cast<u16>(a), static_cast<u16>(b), static_cast<u16>(c),
                              Round::nearest_even));
      }
    }
  }
}

TEST(HalfPairs, FirstElementIsLow) {
  const auto pair = pack<f16x2>(f16{0x3c00}, f16{0x4000});
  EXPECT_EQ(pair.bits, 0x40003c00u);
  EXPECT_EQ(low(pair), f16{0x3c00});
  EXPECT_EQ(high(pair), f16{0x4000});
}

}  // namespace
}  // namespace heddle::sem
