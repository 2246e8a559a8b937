// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The narrow formats by their definition (PTX ISA 5.2.3): a conversion gives the nearest value of
// the format, ties to the even one, and the largest beyond the range.

#include "isa/sem/cvt_narrow.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

/// The non-negative values of a format, in order of their bits.
template <class F>
std::vector<f64> magnitudes() {
  std::vector<f64> result;
  for (u32 bits = 0; bits <= F::kMaxFinite; ++bits) {
    const int exponent = static_cast<int>(bits >> F::kFractionBits);
    const f64 fraction = std::ldexp(bits & ((1u << F::kFractionBits) - 1), -F::kFractionBits);
    result.push_back(exponent == 0 ? std::ldexp(fraction, F::kMinExponent)
                                   : std::ldexp(1 + fraction, exponent - F::kBias));
  }
  return result;
}

template <class F>
u32 nearest(const std::vector<f64>& values, f32 x) {
  const f64 magnitude = std::abs(f64{x});
  u32 best = static_cast<u32>(values.size() - 1);
  for (u32 i = 0; i + 1 < values.size(); ++i) {
    const f64 down = magnitude - values[i], up = values[i + 1] - magnitude;
    if (down < 0 || up < 0) continue;
    best = down < up ? i : up < down ? i + 1 : i + (i & 1);
    break;
  }
  return best | (std::signbit(x) ? F::kSignBit : 0u);
}

template <class F>
class Narrow : public ::testing::Test {};
using Formats = ::testing::Types<FormatE4m3, FormatE5m2, FormatE2m3, FormatE3m2, FormatE2m1>;
TYPED_TEST_SUITE(Narrow, Formats);

TYPED_TEST(Narrow, TakesTheNearest) {
  const auto all = magnitudes<TypeParam>();
  std::mt19937 random(21);
  const auto check = [&](f32 x) {
    ASSERT_EQ(to_small<TypeParam>(Flag::off, x), nearest<TypeParam>(all, x)) << x;
  };
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const f32 middle = static_cast<f32>((all[i] + all[i + 1]) / 2);
    for (const f32 x : {static_cast<f32>(all[i]), middle, std::nextafter(middle, 0.0f),
                        std::nextafter(middle, 1e9f)}) {
      check(x);
      check(-x);
    }
  }
  for (int i = 0; i < 20'000; ++i) {
    const f32 x = as_f32((random() & 0x83ffffff) + 0x3c000000 + ((random() % 16) << 23));
    check(x);
  }
  EXPECT_EQ(to_small<TypeParam>(Flag::off, as_f32(0x7f800000)), TypeParam::kMaxFinite);
  EXPECT_EQ(to_small<TypeParam>(Flag::off, as_f32(0xffc00000)), TypeParam::kNan);
  EXPECT_EQ(to_small<TypeParam>(Flag::on, -1.0f), 0u);
}

TYPED_TEST(Narrow, WidensExactly) {
  const auto all = magnitudes<TypeParam>();
  for (u32 bits = 0; bits < all.size(); ++bits) {
    EXPECT_EQ(to_f32(from_small<TypeParam>(Flag::off, bits)), all[bits]);
    EXPECT_EQ(to_f32(from_small<TypeParam>(Flag::off, bits | TypeParam::kSignBit)), -all[bits]);
  }
}

/// Every exponent and sign, and significands around every place where the rounding may change.
TYPED_TEST(Narrow, AgreesWithTheSoftCore) {
  using F = TypeParam;
  for (u32 upper = 0; upper < 1u << 18; ++upper) {
    for (const u32 lower : {0u, 1u, 0x1fffu, 0x2000u, 0x2001u, 0x3fffu}) {
      const f32 x = as_f32(upper << 14 | lower);
      if (is_nan(x)) continue;
      const u32 packed = round_pack<F>(unpack_value(x), Round::nearest_even);
      const u32 magnitude = std::min<u32>(packed & F::kMagnitude, F::kMaxFinite);
      const u32 expected = (packed & F::kSignBit) | magnitude;
      ASSERT_EQ(to_small<F>(Flag::off, x), expected) << x;
      ASSERT_EQ(to_small<F>(Flag::on, x), x > 0 ? expected : 0) << x;
    }
  }
  for (u32 bits = 0; bits <= u32{F::kSignBit | F::kMagnitude}; ++bits) {
    const u16 half =
        soft_convert<FormatF16, F>(static_cast<typename F::Bits>(bits), Round::nearest_even);
    EXPECT_EQ(from_small<F>(Flag::off, bits).bits, half) << bits;
    EXPECT_EQ(from_small<F>(Flag::on, bits).bits, half & 0x8000 ? 0 : half) << bits;
  }
}

TEST(NarrowTf32, TiesGoAway) {
  for (u32 bits = 0x3f7ffe00; bits < 0x3f810000; bits += 0x155) {
    const u32 away = cvt_tf32_away(Flag::off, as_f32(bits)).bits;
    const u32 soft = round_pack<FormatTf32>(unpack_value(as_f32(bits)), Round::nearest_away) << 13;
    EXPECT_EQ(away, soft) << std::hex << bits;
  }
}

}  // namespace
}  // namespace heddle::sem
