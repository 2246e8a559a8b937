// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ways to evaluate a comparison agree, for every operator on every relation (PTX ISA 9.3.1,
// tables 22 to 25).

#include "isa/sem/compare.h"

#include <array>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

constexpr f32 kNan = std::numeric_limits<f32>::quiet_NaN();
constexpr std::pair<f32, f32> kOperands[] = {{1, 2},    {2, 1},    {1, 1},       {-0.0f, 0.0f},
                                             {kNan, 1}, {1, kNan}, {kNan, kNan}, {as_f32(1), 0}};

/// The manual's tables, in C++.
bool expected(Cmp cmp, f32 a, f32 b) {
  const bool unordered = a != a || b != b;
  switch (cmp) {
    case Cmp::eq:
      return a == b;
    case Cmp::ne:
      return a != b && !unordered;
    case Cmp::lt:
      return a < b;
    case Cmp::le:
      return a <= b;
    case Cmp::gt:
      return a > b;
    case Cmp::ge:
      return a >= b;
    case Cmp::equ:
      return a == b || unordered;
    case Cmp::neu:
      return a != b || unordered;
    case Cmp::ltu:
      return a < b || unordered;
    case Cmp::leu:
      return a <= b || unordered;
    case Cmp::gtu:
      return a > b || unordered;
    case Cmp::geu:
      return a >= b || unordered;
    case Cmp::num:
      return !unordered;
    case Cmp::nan:
      return unordered;
    default:
      ADD_FAILURE();
      return false;
  }
}

template <Cmp kCmp>
void check_operator() {
  for (const auto& [a, b] : kOperands) {
    const bool want = expected(kCmp, a, b);
    EXPECT_EQ((setp<f32, kCmp>(a, b).first), want)
        << static_cast<int>(kCmp) << ": " << a << ", " << b;
    EXPECT_EQ((setp<f32, kCmp>(a, b).second), !want);
    EXPECT_EQ((setp<f64, kCmp>(a, b).first), want);
    EXPECT_EQ(compares(kCmp, Flag::off, a, b), want)
        << static_cast<int>(kCmp) << ": " << a << ", " << b;
    EXPECT_EQ(compares(kCmp, Flag::off, to_bf16(a), to_bf16(b)),
              expected(kCmp, to_f32(to_bf16(a)), to_f32(to_bf16(b))));
    for (const bool c : {false, true}) {
      const auto both = setp_bool(kCmp, Boolop::and_, Flag::off, a, b, c);
      EXPECT_EQ(both.first, want && c);
      EXPECT_EQ(both.second, !want && c);
      const auto either = setp_bool(kCmp, Boolop::or_, Flag::off, a, b, c);
      EXPECT_EQ(either.first, want || c);
      EXPECT_EQ(either.second, !want || c);
      const auto one = setp_bool(kCmp, Boolop::xor_, Flag::off, a, b, c);
      EXPECT_EQ(one.first, want != c);
      EXPECT_EQ(one.second, want == c);
    }
  }
}

TEST(Compare, FloatOperators) {
  check_operator<Cmp::eq>();
  check_operator<Cmp::ne>();
  check_operator<Cmp::lt>();
  check_operator<Cmp::le>();
  check_operator<Cmp::gt>();
  check_operator<Cmp::ge>();
  check_operator<Cmp::equ>();
  check_operator<Cmp::neu>();
  check_operator<Cmp::ltu>();
  check_operator<Cmp::leu>();
  check_operator<Cmp::gtu>();
  check_operator<Cmp::geu>();
  check_operator<Cmp::num>();
  check_operator<Cmp::nan>();
}

template <class T, Cmp kCmp>
void check_integers(bool (*want)(T, T)) {
  constexpr T kMax = std::numeric_limits<T>::max(), kMin = std::numeric_limits<T>::min();
  for (const T a : std::array<T, 5>{0, 1, kMax, kMin, static_cast<T>(~T{0})}) {
    for (const T b : std::array<T, 5>{0, 1, kMax, kMin, static_cast<T>(~T{0})}) {
      EXPECT_EQ((setp<T, kCmp>(a, b).first), want(a, b));
      EXPECT_EQ(compares(kCmp, Flag::off, a, b), want(a, b));
    }
  }
}
template <class T>
void check_integer_type() {
  check_integers<T, Cmp::eq>([](T a, T b) { return a == b; });
  check_integers<T, Cmp::ne>([](T a, T b) { return a != b; });
  check_integers<T, Cmp::lt>([](T a, T b) { return a < b; });
  check_integers<T, Cmp::le>([](T a, T b) { return a <= b; });
  check_integers<T, Cmp::gt>([](T a, T b) { return a > b; });
  check_integers<T, Cmp::ge>([](T a, T b) { return a >= b; });
  check_integers<T, Cmp::lo>([](T a, T b) { return a < b; });
  check_integers<T, Cmp::ls>([](T a, T b) { return a <= b; });
  check_integers<T, Cmp::hi>([](T a, T b) { return a > b; });
  check_integers<T, Cmp::hs>([](T a, T b) { return a >= b; });
}
TEST(Compare, IntegerOperators) {
  check_integer_type<u16>();
  check_integer_type<s16>();
  check_integer_type<u32>();
  check_integer_type<s32>();
  check_integer_type<u64>();
  check_integer_type<s64>();
}

TEST(Compare, SelectsCopyBits) {
  const u32 signaling = 0x7f800001;
  EXPECT_EQ(bits_of(selp(as_f32(signaling), 1.0f, true)), signaling);
  EXPECT_EQ(bits_of(slct_s32(as_f32(signaling), 1.0f, 0)), signaling);
  EXPECT_EQ(bits_of(slct_f32(Flag::off, 1.0f, as_f32(signaling), kNan)), signaling);
}

}  // namespace
}  // namespace heddle::sem
