// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The soft core against the host's arithmetic in all four rounding modes: every pair of special
// values, and random ones.

#include "isa/sem/softfloat.h"

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

struct Mode {
  int host;
  Round soft;
};
constexpr Mode kModes[] = {{FE_TONEAREST, Round::nearest_even},
                           {FE_TOWARDZERO, Round::toward_zero},
                           {FE_DOWNWARD, Round::toward_negative},
                           {FE_UPWARD, Round::toward_positive}};

/// The host's rounding mode, set for a scope. Operands go through volatile so that nothing is
/// folded or moved.
class HostRounding {
 public:
  explicit HostRounding(int mode) { std::fesetround(mode); }
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
};

template <class T>
struct FormatOf;
template <>
struct FormatOf<f32> {
  using Type = FormatF32;
};
template <>
struct FormatOf<f64> {
  using Type = FormatF64;
};

template <class T>
using BitsOf = typename FormatOf<T>::Type::Bits;

template <class T>
bool same(BitsOf<T> soft, T host) {
  const T value = std::bit_cast<T>(soft);
  return std::isnan(host) ? std::isnan(value) : std::bit_cast<BitsOf<T>>(host) == soft;
}

/// Zero, subnormal, normal and extreme values of both signs, and random numbers that are often
/// close to each other.
template <class T>
std::vector<T> values(int random_count) {
  using F = typename FormatOf<T>::Type;
  std::vector<T> result;
  const u64 magnitudes[] = {0,
                            1,
                            2,
                            (u64{1} << F::kFractionBits) - 1,
                            u64{1} << F::kFractionBits,
                            (u64{1} << F::kFractionBits) + 1,
                            std::bit_cast<BitsOf<T>>(T{1}) - 1u,
                            std::bit_cast<BitsOf<T>>(T{1}),
                            std::bit_cast<BitsOf<T>>(T{1}) + 1u,
                            std::bit_cast<BitsOf<T>>(T{1.5}),
                            F::kMaxFinite - 1u,
                            F::kMaxFinite,
                            F::kInfinity,
                            F::kInfinity + 1u,
                            F::kMagnitude};
  for (const u64 magnitude : magnitudes) {
    result.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(magnitude)));
    result.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(magnitude | F::kSignBit)));
  }
  std::mt19937_64 random(12345);
  for (int i = 0; i < random_count; ++i) {
    u64 bits = random();
    if (i % 4 == 1)
      bits &= ~u64{0} << (random() % 50);  // few significant bits: exact and tie cases
    if (i % 4 >= 2) {                      // exponent near that of 1
      const u64 exponent = F::kBias + static_cast<int>(random() % 64) - 32;
      bits = (bits & (F::kSignBit | ((u64{1} << F::kFractionBits) - 1))) |
             (exponent << F::kFractionBits);
    }
    result.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(bits)));
  }
  return result;
}

template <class T>
class SoftFloat : public ::testing::Test {};
using HostTypes = ::testing::Types<f32, f64>;
TYPED_TEST_SUITE(SoftFloat, HostTypes);

TYPED_TEST(SoftFloat, TwoOperands) {
  using T = TypeParam;
  using F = typename FormatOf<T>::Type;
  const auto inputs = values<T>(250);
  for (const Mode mode : kModes) {
    const HostRounding scope(mode.host);
    for (const T x : inputs) {
      for (const T y : inputs) {
        volatile T a = x, b = y;
        const auto p = std::bit_cast<BitsOf<T>>(x), q = std::bit_cast<BitsOf<T>>(y);
        volatile T sum = a + b, product = a * b, quotient = a / b;
        ASSERT_TRUE(same<T>(soft_add<F>(p, q, mode.soft), sum)) << x << " + " << y;
        ASSERT_TRUE(same<T>(soft_mul<F>(p, q, mode.soft), product)) << x << " * " << y;
        ASSERT_TRUE(same<T>(soft_div<F>(p, q, mode.soft), quotient)) << x << " / " << y;
      }
    }
  }
}

TYPED_TEST(SoftFloat, FusedMultiplyAdd) {
  using T = TypeParam;
  using F = typename FormatOf<T>::Type;
  const auto inputs = values<T>(3000);
  std::mt19937_64 random(99);
  for (const Mode mode : kModes) {
    const HostRounding scope(mode.host);
    for (int i = 0; i < 200'000; ++i) {
      const T x = inputs[random() % inputs.size()], y = inputs[random() % inputs.size()];
      T z = inputs[random() % inputs.size()];
      if (i % 3 == 0) z = -(x * y);  // cancellation
      if (i % 3 == 1) z = std::nextafter(-(x * y), T{0}) * (i % 5 == 0 ? T{0.5} : T{1});
      volatile T a = x, b = y, c = z;
      volatile T host = std::fma(a, b, c);
      const auto soft = soft_fma<F>(std::bit_cast<BitsOf<T>>(x), std::bit_cast<BitsOf<T>>(y),
                                    std::bit_cast<BitsOf<T>>(z), mode.soft);
      ASSERT_TRUE(same<T>(soft, host)) << x << " * " << y << " + " << z;
    }
  }
}

TYPED_TEST(SoftFloat, OneOperand) {
  using T = TypeParam;
  using F = typename FormatOf<T>::Type;
  for (const Mode mode : kModes) {
    const HostRounding scope(mode.host);
    for (const T x : values<T>(50'000)) {
      volatile T a = x;
      const auto bits = std::bit_cast<BitsOf<T>>(x);
      volatile T root = std::sqrt(a), integral = std::nearbyint(a);
      volatile f32 single = static_cast<f32>(a);
      ASSERT_TRUE(same<T>(soft_sqrt<F>(bits, mode.soft), root)) << x;
      ASSERT_TRUE(
          same<T>(round_pack<F>(round_integral(unpack<F>(bits), mode.soft), mode.soft), integral))
          << x;
      ASSERT_TRUE(same<f32>(soft_convert<FormatF32, F>(bits, mode.soft), single)) << x;
      if (std::abs(x) < T{9.2e18}) {
        volatile T in = x;
        ASSERT_EQ(to_integer<s64>(unpack<F>(bits), mode.soft, 0), std::llrint(in)) << x;
      }
    }
  }
}

TYPED_TEST(SoftFloat, FromInteger) {
  using T = TypeParam;
  using F = typename FormatOf<T>::Type;
  std::mt19937_64 random(7);
  for (const Mode mode : kModes) {
    const HostRounding scope(mode.host);
    for (int i = 0; i < 20'000; ++i) {
      const u64 bits = random() >> (random() % 64);
      volatile s64 source = static_cast<s64>(bits);
      volatile T host = static_cast<T>(source);
      ASSERT_TRUE(same<T>(round_pack<F>(from_integer(static_cast<s64>(bits)), mode.soft), host))
          << bits;
    }
  }
}

TEST(SoftFloatToInteger, ClampsAndMapsNan) {
  const auto convert = [](f64 x) { return unpack<FormatF64>(bits_of(x)); };
  const f64 nan = std::numeric_limits<f64>::quiet_NaN();
  EXPECT_EQ(to_integer<s8>(convert(127.5), Round::nearest_even, s8{0}), 127);
  EXPECT_EQ(to_integer<s8>(convert(-128.5), Round::nearest_even, s8{0}), -128);
  EXPECT_EQ(to_integer<s8>(convert(-1e30), Round::toward_zero, s8{0}), -128);
  EXPECT_EQ(to_integer<u8>(convert(-0.75), Round::nearest_even, u8{9}), 0);
  EXPECT_EQ(to_integer<u8>(convert(255.5), Round::toward_zero, u8{9}), 255);
  EXPECT_EQ(to_integer<u8>(convert(256), Round::toward_zero, u8{9}), 255);
  EXPECT_EQ(to_integer<u8>(convert(nan), Round::toward_zero, u8{9}), 9);
  EXPECT_EQ(to_integer<s64>(convert(9.3e18), Round::toward_zero, s64{0}),
            std::numeric_limits<s64>::max());
  EXPECT_EQ(to_integer<u64>(convert(1.8e19), Round::toward_zero, u64{0}),
            18'000'000'000'000'000'000u);
  EXPECT_EQ(to_integer<u64>(convert(1.9e19), Round::toward_zero, u64{0}), ~u64{0});
}

/// A narrow format through every value: packing what was unpacked gives it back, in every rounding.
template <class F>
void round_trip(u64 count) {
  for (u64 bits = 0; bits < count; ++bits) {
    const Number x = unpack<F>(static_cast<typename F::Bits>(bits));
    if (x.kind == Kind::nan) continue;
    for (const Mode mode : kModes) ASSERT_EQ(round_pack<F>(x, mode.soft), bits);
  }
}
TEST(SoftFloatFormats, RoundTrip) {
  round_trip<FormatF16>(65536);
  round_trip<FormatBf16>(65536);
  round_trip<FormatE4m3>(256);
  round_trip<FormatE5m2>(256);
  round_trip<FormatE2m3>(64);
  round_trip<FormatE3m2>(64);
  round_trip<FormatE2m1>(16);
}

TEST(SoftFloatFormats, SmallFormatsSaturate) {
  EXPECT_EQ((soft_convert<FormatE4m3, FormatF32>(bits_of(448.0f), Round::nearest_even)), 0x7e);
  EXPECT_EQ((soft_convert<FormatE4m3, FormatF32>(bits_of(1e9f), Round::nearest_even)), 0x7e);
  EXPECT_EQ((soft_convert<FormatE4m3, FormatF32>(bits_of(-1e9f), Round::nearest_even)), 0xfe);
  EXPECT_EQ((soft_convert<FormatE2m1, FormatF32>(bits_of(5.0f), Round::nearest_even)),
            0x6);  // tie: 4
  EXPECT_EQ((soft_convert<FormatE2m1, FormatF32>(bits_of(-7.0f), Round::nearest_even)), 0xf);
  EXPECT_EQ((soft_convert<FormatE5m2, FormatF32>(bits_of(57344.0f), Round::nearest_even)), 0x7b);
}

// Usable at compile time.
static_assert(soft_add<FormatF32>(0x3f800000, 0x33800000, Round::toward_positive) == 0x3f800001);
static_assert(soft_add<FormatF32>(0x3f800000, 0xbf800000, Round::toward_negative) == 0x80000000);
static_assert(soft_sqrt<FormatF64>(0x4010000000000000, Round::nearest_even) == 0x4000000000000000);

}  // namespace
}  // namespace heddle::sem
