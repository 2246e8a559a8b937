// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt's fast paths against the soft core (PTX ISA 9.7.9.21): every pair of types, with special and
// random values.

#include "isa/sem/cvt.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

template <class T>
using BitsOf = typename FormatOf<T>::Bits;

template <class T>
std::vector<T> float_values() {
  using F = FormatOf<T>;
  std::vector<T> values;
  const auto add = [&values](u64 bits) {
    values.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(bits)));
    values.push_back(std::bit_cast<T>(static_cast<BitsOf<T>>(bits | F::kSignBit)));
  };
  for (const u64 bits :
       {u64{0}, u64{1}, u64{F::kInfinity} - 1, u64{F::kInfinity}, u64{F::kMagnitude}})
    add(bits);
  for (int power = -2; power <= 65;
       ++power) {  // around powers of two: the ends of the integer types
    const u64 bits = round_pack<F>(make_number(false, 1, power), Round::toward_zero);
    for (const s64 step : {-2, -1, 0, 1, 2}) add((bits + static_cast<u64>(step)) & F::kMagnitude);
  }
  for (int i = -20; i <= 20; ++i) {  // ties
    add(round_pack<F>(make_number(false, static_cast<u64>(i + 20), -1), Round::nearest_even));
  }
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    const u64 exponent = static_cast<u64>(F::kBias + static_cast<int>(random() % 70) - 4);
    const u64 fraction = random() & ((u64{1} << F::kFractionBits) - 1);
    add(((exponent << F::kFractionBits) | fraction) & F::kMagnitude);
    add(random() & F::kMagnitude);
  }
  return values;
}

constexpr Round soft_rounding(Irnd rnd) {
  return rnd == Irnd::rzi   ? Round::toward_zero
         : rnd == Irnd::rmi ? Round::toward_negative
         : rnd == Irnd::rpi ? Round::toward_positive
                            : Round::nearest_even;
}

// The rounding is an argument, so that GoogleTest and the soft core are compiled once for all four.
template <class D, class A>
void check_to_int(Irnd rnd, D (*convert)(Flag, A)) {
  for (const A x : float_values<A>()) {
    const D want = to_integer<D>(unpack_value(x), soft_rounding(rnd), kIntOfNan<D, A>);
    ASSERT_EQ(convert(Flag::off, x), want)
        << std::hex << std::bit_cast<BitsOf<A>>(x) << " rounding " << static_cast<int>(rnd);
  }
}
template <class A, Irnd kRnd>
void check_to_ints() {
  check_to_int<u8, A>(kRnd, &cvt_to_int<u8, A, kRnd>);
  check_to_int<s8, A>(kRnd, &cvt_to_int<s8, A, kRnd>);
  check_to_int<u16, A>(kRnd, &cvt_to_int<u16, A, kRnd>);
  check_to_int<s16, A>(kRnd, &cvt_to_int<s16, A, kRnd>);
  check_to_int<u32, A>(kRnd, &cvt_to_int<u32, A, kRnd>);
  check_to_int<s32, A>(kRnd, &cvt_to_int<s32, A, kRnd>);
  check_to_int<u64, A>(kRnd, &cvt_to_int<u64, A, kRnd>);
  check_to_int<s64, A>(kRnd, &cvt_to_int<s64, A, kRnd>);
}
template <class A>
void check_integral(Irnd rnd, A (*round)(Flag, Flag, A)) {
  for (const A x : float_values<A>()) {
    const A want =
        pack_value<A>(round_integral(unpack_value(x), soft_rounding(rnd)), Round::nearest_even);
    const A got = round(Flag::off, Flag::off, x);
    if (is_nan(widen(x))) {
      ASSERT_TRUE(is_nan(widen(got)));
    } else {
      ASSERT_EQ(std::bit_cast<BitsOf<A>>(got), std::bit_cast<BitsOf<A>>(want))
          << std::hex << std::bit_cast<BitsOf<A>>(x) << " rounding " << static_cast<int>(rnd);
    }
  }
}

template <class A>
class CvtFromFloat : public ::testing::Test {};
using FloatTypes = ::testing::Types<f16, bf16, f32, f64>;
TYPED_TEST_SUITE(CvtFromFloat, FloatTypes);

TYPED_TEST(CvtFromFloat, ToInteger) {
  check_to_ints<TypeParam, Irnd::rni>();
  check_to_ints<TypeParam, Irnd::rzi>();
  check_to_ints<TypeParam, Irnd::rmi>();
  check_to_ints<TypeParam, Irnd::rpi>();
}
TYPED_TEST(CvtFromFloat, ToIntegralValue) {
  check_integral<TypeParam>(Irnd::rni, &cvt_integral<TypeParam, Irnd::rni>);
  check_integral<TypeParam>(Irnd::rzi, &cvt_integral<TypeParam, Irnd::rzi>);
  check_integral<TypeParam>(Irnd::rmi, &cvt_integral<TypeParam, Irnd::rmi>);
  check_integral<TypeParam>(Irnd::rpi, &cvt_integral<TypeParam, Irnd::rpi>);
}

template <class A>
class CvtFromInt : public ::testing::Test {};
using IntTypes = ::testing::Types<u8, s8, u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(CvtFromInt, IntTypes);

template <class D, class A>
void check_from_int(A x) {
  const auto want = pack_value<D>(from_integer(x), Round::nearest_even);
  const D got = cvt_from_int<D>(Flag::off, x);
  ASSERT_EQ(std::bit_cast<BitsOf<D>>(got), std::bit_cast<BitsOf<D>>(want)) << +x;
}
TYPED_TEST(CvtFromInt, ToFloat) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200'000; ++i) {
    u64 bits = random() >> (random() % 64);
    if (i % 3 == 0)
      bits = (u64{1} << (random() % 64)) + (random() % 5) - 2;  // near ties and limits
    const auto x = static_cast<TypeParam>(bits);
    check_from_int<f16>(x);
    check_from_int<bf16>(x);
    check_from_int<f32>(x);
    check_from_int<f64>(x);
  }
}

template <class D, class A>
void check_int(A x) {
  using Wide = __int128;
  const Wide low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
  const Wide value = x;
  const Wide want = value < low ? low : value > high ? high : value;
  const D got = cvt_int<D, A, true>(x);
  ASSERT_EQ(+got, +static_cast<D>(want)) << +x;
}
TYPED_TEST(CvtFromInt, ToIntegerSaturates) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 100'000; ++i) {
    const u64 bits = (random() >> (random() % 64)) ^ (i % 2 != 0 ? ~u64{0} : 0);
    const auto x = static_cast<TypeParam>(bits);
    check_int<u8>(x);
    check_int<s8>(x);
    check_int<u16>(x);
    check_int<s16>(x);
    check_int<u32>(x);
    check_int<s32>(x);
    check_int<u64>(x);
    check_int<s64>(x);
  }
}

TEST(CvtFloat, WideningKeepsPayloads) {
  EXPECT_EQ(bits_of(to_f64(as_f32(0xff800001))), 0xfff8000020000000u);
  EXPECT_EQ(bits_of(cvt_f32_from_bf16(Flag::off, bf16{0x7f81})), 0x7f810000u);
  EXPECT_EQ(bits_of(cvt_widen<f32>(Flag::off, Flag::off, f16{0x7c01})), kNanF32);
}

TEST(CvtFloat, FusedWithoutHostInstruction) {
  std::mt19937 random(9);
  for (int i = 0; i < 500'000; ++i) {
    const u32 a = random(), b = random();
    u32 c = random();
    if (i % 2 != 0) {  // an addend near the product
      const u32 product = bits_of(as_f32(a) * as_f32(b));
      c = (product ^ 0x80000000) + static_cast<u32>(i % 7) - 3;
    }
    const f32 fast = static_cast<f32>(sum_to_odd(f64{as_f32(a)} * f64{as_f32(b)}, f64{as_f32(c)}));
    const u32 want = soft_fma<FormatF32>(a, b, c, Round::nearest_even);
    ASSERT_EQ(bits_of(canonical(fast)), want) << std::hex << a << " " << b << " " << c;
  }
}

}  // namespace
}  // namespace heddle::sem
