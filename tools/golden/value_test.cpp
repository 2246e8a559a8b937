// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "matrix_value.h"

namespace heddle::golden {
namespace {

TEST(Value, KindsHaveNames) {
  for (int i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    EXPECT_EQ(kind_named(name_of(kind)), kind);
    EXPECT_THAT(bytes_of(kind), testing::AnyOf(2, 4, 8)) << name_of(kind);
  }
  EXPECT_EQ(kind_named("f128"), std::nullopt);
}

TEST(Value, FitsItsRegister) {
  for (int i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    for (u32 slot = 0; slot < 3; ++slot) {
      for (u32 index = 0; index < 20000; ++index) {
        const u64 bits = value(kind, slot, index);
        EXPECT_EQ(bits & ~(~u64{0} >> (64 - bytes_of(kind) * 8)), 0) << name_of(kind);
        const u64 most = kind == Kind::kPred ? 1 : kind == Kind::kLane ? 31 : ~u64{0};
        EXPECT_LE(bits, most) << name_of(kind);
      }
    }
  }
}

TEST(Value, AllPairsOfSpecialValuesComeFirst) {
  constexpr u32 kInfinity = 0x7f800000, kNan = 0x7fc00000, kLeast = 1, kMinusZero = 0x80000000;
  std::set<std::pair<u64, u64>> pairs;
  for (u32 index = 0; index < 112 * 112; ++index)
    pairs.emplace(value(Kind::kF32, 0, index), value(Kind::kF32, 1, index));
  EXPECT_EQ(pairs.size(), 112u * 112);
  for (const u64 a : {kInfinity, kNan, kLeast, kMinusZero}) {
    for (const u64 b : {kInfinity, kNan, kLeast, kMinusZero}) EXPECT_TRUE(pairs.contains({a, b}));
  }
}

TEST(Value, SomeThirdOperandsCancelTheProduct) {
  u32 cancelling = 0;
  for (u32 index = 20000; index < 30000; ++index) {
    const auto number = [&](u32 slot) {
      return std::bit_cast<float>(static_cast<u32>(value(Kind::kF32, slot, index)));
    };
    const double product = double{number(0)} * number(1);
    cancelling += product != 0 && std::abs(product + number(2)) <= std::abs(product) * 0x1p-20;
  }
  EXPECT_GT(cancelling, 100u);
}

// Recordings stay comparable only as long as the inputs do not change.
TEST(Value, StaysWhatItWas) {
  u64 sum = 0;
  for (int i = 0; i < kKinds; ++i) {
    for (u32 slot = 0; slot < 4; ++slot) {
      for (u32 index = 0; index < 30000; ++index)
        sum += mixed(value(static_cast<Kind>(i), slot, index), index);
    }
  }
  EXPECT_EQ(sum, 16424374789552898689u);
}

TEST(MatrixValue, StaysWhatItWas) {
  u64 sum = 0;
  for (int i = 0; i < kElements; ++i) {
    const Element element = static_cast<Element>(i);
    for (const Matrix matrix : {Matrix::kA, Matrix::kB, Matrix::kC}) {
      for (u32 number = 0; number < 4 * kProfiles; ++number) {
        for (u32 word = 0; word < 64; ++word)
          sum += mixed(matrix_word(element, number, matrix, word), word);
      }
    }
    for (u32 number = 0; number < 100; ++number) sum += metadata_word(element, number, 5);
  }
  EXPECT_EQ(sum, 13866873538557982375u);
}

struct Half {
  bool infinite_or_nan, zero, subnormal;
};
Half half(u32 bits) {
  const u32 exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  return {exponent == 31, !exponent && !mantissa, !exponent && mantissa};
}

TEST(MatrixValue, ProfilesAreWhatTheySay) {
  constexpr u32 kWords = 400;
  const auto count = [](Profile profile, Matrix matrix, auto is) {
    u32 matches = 0;
    for (u32 word = 0; word < kWords; ++word) {
      // Case `profile`: A and B have not changed roles.
      const u32 bits = matrix_word(Element::kF16, static_cast<u32>(profile), matrix, word);
      matches += is(half(bits & 0xffff)) + is(half(bits >> 16));
    }
    return matches;
  };
  const auto special = [](Half h) { return h.infinite_or_nan; };
  const auto zero = [](Half h) { return h.zero; };
  const auto subnormal = [](Half h) { return h.subnormal; };
  for (const Profile profile :
       {Profile::kFinite, Profile::kNearOne, Profile::kZeros, Profile::kCancelling, Profile::kTiny,
        Profile::kHuge, Profile::kZeroTimesHuge, Profile::kAlignment}) {
    for (const Matrix matrix : {Matrix::kA, Matrix::kB, Matrix::kC})
      EXPECT_EQ(count(profile, matrix, special), 0u);
  }
  EXPECT_GT(count(Profile::kAnyBits, Matrix::kA, special), 5u);
  EXPECT_GT(count(Profile::kSpecials, Matrix::kB, special), 20u);
  EXPECT_GT(count(Profile::kSpecialSummand, Matrix::kC, special), kWords / 2);
  EXPECT_EQ(count(Profile::kSpecialSummand, Matrix::kA, special), 0u);
  EXPECT_GT(count(Profile::kTiny, Matrix::kA, subnormal), kWords / 3);
  EXPECT_EQ(count(Profile::kZeroProducts, Matrix::kA, zero), 2 * kWords);
  EXPECT_GT(count(Profile::kZeros, Matrix::kA, zero), kWords / 4);
}

}  // namespace
}  // namespace heddle::golden
