// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of replicas against values computed by hand (PTX ISA 9.7.9.14).
#include "isa/sem/multimem.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace heddle::sem {
namespace {

template <Atomop kOp, class T, class A = T>
T reduce(const std::vector<T>& values) {
  return reduce_replicas<kOp, T, A>(values.data(), static_cast<u32>(values.size()));
}

TEST(MultimemTest, OneValueIsItself) {
  EXPECT_EQ((reduce<Atomop::add, u32>({7})), 7u);
  EXPECT_EQ((reduce<Atomop::max, SmallE5m2>({SmallE5m2{0x81}})).bits, 0x81);
  EXPECT_EQ((reduce<Atomop::add, f16, f32>({f16{0x8001}})).bits, 0x8001) << "a subnormal stays";
}

TEST(MultimemTest, InTheOrderOfTheReplicas) {
  EXPECT_EQ((reduce<Atomop::add, f32>({1e8f, 1.0f, -1e8f})), 0.0f);
  EXPECT_EQ((reduce<Atomop::add, f32>({1e8f, -1e8f, 1.0f})), 1.0f);
}

TEST(MultimemTest, AccumulatorIsRoundedAtEachStep) {
  // 2048 + 1 + 1, 256 + 1 + 1, 16 + 1 + 1 and 8 + 1 + 1: halfway to the next number, twice.
  EXPECT_EQ((reduce<Atomop::add, f16>({{0x6800}, {0x3c00}, {0x3c00}})).bits, 0x6800);
  EXPECT_EQ((reduce<Atomop::add, f16, f32>({{0x6800}, {0x3c00}, {0x3c00}})).bits, 0x6801);
  EXPECT_EQ((reduce<Atomop::add, bf16>({{0x4380}, {0x3f80}, {0x3f80}})).bits, 0x4380);
  EXPECT_EQ((reduce<Atomop::add, bf16, f32>({{0x4380}, {0x3f80}, {0x3f80}})).bits, 0x4381);
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3>({{0x58}, {0x38}, {0x38}})).bits, 0x58);
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3, f16>({{0x58}, {0x38}, {0x38}})).bits, 0x59);
  EXPECT_EQ((reduce<Atomop::add, SmallE5m2>({{0x48}, {0x3c}, {0x3c}})).bits, 0x48);
  EXPECT_EQ((reduce<Atomop::add, SmallE5m2, f16>({{0x48}, {0x3c}, {0x3c}})).bits, 0x49);
}

TEST(MultimemTest, LargeSumsOfEightBitsSaturate) {
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3>({{0x7e}, {0x7e}})).bits, 0x7e);  // 448
  EXPECT_EQ((reduce<Atomop::add, SmallE5m2>({{0xfb}, {0xfb}})).bits, 0xfb);  // -57344
  // With an f16 accumulator, only the final result saturates.
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3, f16>({{0x7e}, {0x7e}, {0xfe}})).bits, 0x7e);
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3>({{0x7e}, {0x7e}, {0xfe}})).bits, 0x00);
}

TEST(MultimemTest, NanAndInfinity) {
  EXPECT_EQ((reduce<Atomop::add, SmallE4m3>({{0x38}, {0xff}})).bits, 0x7f);
  EXPECT_EQ((reduce<Atomop::max, SmallE4m3>({{0x38}, {0x7f}})).bits, 0x38) << "as max does";
  EXPECT_EQ((reduce<Atomop::min, bf16>({{0x7fff}, {0x3f80}})).bits, 0x3f80);
  EXPECT_EQ((reduce<Atomop::add, bf16>({{0x7f80}, {0xff80}})).bits, 0x7fff);
  const f64 infinity = std::numeric_limits<f64>::infinity();
  EXPECT_EQ((reduce<Atomop::add, f64>({infinity, 1.0})), infinity);
}

TEST(MultimemTest, SignsOfIntegers) {
  EXPECT_EQ((reduce<Atomop::min, s32>({7, -1, 3})), -1);
  EXPECT_EQ((reduce<Atomop::min, u32>({7, 0xffffffff, 3})), 3u);
  EXPECT_EQ((reduce<Atomop::add, s32>({std::numeric_limits<s32>::max(), 1})),
            std::numeric_limits<s32>::min());
  EXPECT_EQ((reduce<Atomop::xor_, u64>({7, 2, 8})), 13u);
}

}  // namespace
}  // namespace heddle::sem
