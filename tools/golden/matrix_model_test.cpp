// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "value.h"

namespace heddle::golden {
namespace {

MatrixInstruction instruction(const std::string& name) {
  const auto read = read_matrices(name);
  HEDDLE_CHECK(read.ok());
  return (*read)[0];
}

/// One element of D: the first row of A times the first column of B, whose other elements are 0.
u64 dot(const std::string& name, const std::vector<u64>& a, const std::vector<u64>& b, u64 c) {
  const MatrixInstruction i = instruction(name);
  Matrices matrices{std::vector<u64>(i.m * i.k), std::vector<u64>(i.k * i.n),
                    std::vector<u64>(i.m * i.n)};
  for (std::size_t k = 0; k < a.size(); ++k) {
    matrices.a[k] = a[k];
    matrices.b[k * i.n] = b[k];
  }
  matrices.c[0] = c;
  return multiply(i, matrices)[0];
}

constexpr const char* kF32 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
constexpr const char* kF16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";

TEST(MatrixModel, FloatingPoint) {
  struct Case {
    const char *what, *name;
    std::vector<u64> a, b;
    u64 c, d;
  };
  constexpr u64 kOne = 0x3c00, kTwo = 0x4000, kLeast = 1, kMost = 0x7bff, kInfinity = 0x7c00,
                kNan = 0x7e01, kMinus = 0x8000;
  for (const Case& c : {
           Case{"1 * 1 + 2 * 2 + 3", kF32, {kOne, kTwo}, {kOne, kTwo}, 0x40400000, 0x41000000},
           {"nothing is +0", kF32, {kMinus}, {kOne}, 0x80000000, 0},
           {"cancelled is +0", kF32, {kOne, kOne}, {kOne, kOne | kMinus}, 0, 0},
           {"subnormal numbers count", kF32, {kLeast}, {kLeast}, 0, 0x27800000},  // 2^-48
           // Truncated, not rounded: 1 + 3 * 2^-25 in f32.
           {"the sum is cut", kF32, {kOne}, {kOne}, 0x33c00000, 0x3f800000},
           // Each summand loses the bits below 2^-25 of the largest: four times 2^-26 is 0.
           {"summands are cut",
            kF32,
            {kOne, 0x0400, 0x0400, 0x0400, 0x0400},
            {kOne, 0x0c00, 0x0c00, 0x0c00, 0x0c00},
            0,
            0x3f800000},
           {"2^-24 twice is not",
            kF32,
            {kOne, 0x0800, 0x0800},
            {kOne, 0x1000, 0x1000},
            0,
            0x3f800001},
           {"f16 is rounded to even", kF16, {kOne, 0x1000}, {kOne, kOne}, 0, kOne},  // 1 + 2^-11
           {"f16 is rounded up", kF16, {kOne, 0x1200}, {kOne, kOne}, 0, 0x3c01},  // 1 + 1.5 * 2^-11
           {"f16 overflows", kF16, {kMost}, {kTwo}, 0, kInfinity},
           {"f32 holds large products", kF32, {kMost, kMost}, {kMost, kMost}, 0, 0x4fffc004},
           {"f32 overflows though it is cut", kF32, {kMost}, {kMost}, 0x7f7fffff, 0x7f7fffff},
           {"infinity", kF32, {kInfinity}, {kOne | kMinus}, 0, 0xff800000},
           {"infinity times zero", kF32, {kInfinity}, {0}, 0, 0x7fffffff},
           {"infinities of both signs", kF32, {kInfinity}, {kOne}, 0xff800000, 0x7fffffff},
           {"NaN is canonical", kF16, {kNan}, {kOne}, 0, 0x7fff},
           {"tf32 ends above 13 bits",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            {0x3f801fff},
            {0x3f800000},
            0,
            0x3f800000},
           {"bf16",
            "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
            {0x3f80, 0x4000},
            {0x4040, 0x4040},
            0x3f800000,
            0x41200000},
           {"e4m3",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
            {0x38, 0x40},
            {0x38, 0x40},
            0x40400000,
            0x41000000},
           {"e4m3 has no infinity",
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
            {0x7e},
            {0x38},
            0,
            0x43e00000},
           {"and one NaN",
            "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16",
            {0x7f},
            {0x38},
            0,
            0x7fff},
           {"e5m2 and f16",
            "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16",
            {0x3c, 0x7b},
            {0x3c, 0x7b},
            kOne,
            kInfinity},
       }) {
    EXPECT_EQ(dot(c.name, c.a, c.b, c.c), c.d) << c.what;
  }
}

TEST(MatrixModel, IntegersAndF64) {
  struct Case {
    const char *what, *name;
    std::vector<u64> a, b;
    u64 c, d;
  };
  constexpr u64 kOne = 0x3ff0000000000000, kTiny = 0x3c90000000000000;  // 2^-54
  for (const Case& c : {
           Case{"signs",
                "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32",
                {0xff, 2},
                {0xff, 3},
                10,
                0xffffff11},
           {"wraps",
            "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
            {0x7f},
            {0x7f},
            0x7fffffff,
            0x80003f00},
           {"is clamped",
            "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32",
            {0x7f},
            {0x7f},
            0x7fffffff,
            0x7fffffff},
           {"s4", "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", {0x8}, {0xf}, 0, 0xffffff88},
           {"bits that differ",
            "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
            {1, 1, 0},
            {1, 0, 1},
            5,
            7},
           {"bits of both",
            "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc",
            {1, 1, 0},
            {1, 0, 1},
            5,
            6},
           {"to nearest",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            {kOne, kTiny},
            {kOne, kOne},
            0,
            kOne},
           {"up",
            "mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64",
            {kOne, kTiny},
            {kOne, kOne},
            0,
            kOne + 1},
       }) {
    EXPECT_EQ(dot(c.name, c.a, c.b, c.c), c.d) << c.what;
  }
}

// A times the unit matrix is A, for any layout of fragments.
TEST(MatrixModel, FragmentsHoldWholeMatrices) {
  for (const char* name : {kF32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                           "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                           "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32",
                           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
                           "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"}) {
    const MatrixInstruction i = instruction(name);
    const Matrices matrices = matrices_of(i, 0);
    // Every word of the fragments is in the matrices: the number of set bits is equal.
    const auto set = [](const std::vector<u64>& bits) {
      return std::accumulate(bits.begin(), bits.end(), 0,
                             [](int sum, u64 one) { return sum + std::popcount(one); });
    };
    const auto set_in = [&](Matrix matrix, Element element, u32 words) {
      int sum = 0;
      for (u32 word = 0; word < words; ++word)
        sum += std::popcount(matrix_word(element, 0, matrix, word));
      return sum;
    };
    EXPECT_EQ(set(matrices.a), set_in(Matrix::kA, i.a, i.words_of_a())) << name;
    EXPECT_EQ(set(matrices.b), set_in(Matrix::kB, i.b, i.words_of_b())) << name;
    EXPECT_EQ(set(matrices.c), set_in(Matrix::kC, i.c, i.words_of_c())) << name;
    if (i.c != i.d) continue;
    // C and D are laid out alike.
    std::vector<u32> words;
    for (u32 word = 0; word < i.words_of_c(); ++word)
      words.push_back(matrix_word(i.c, 0, Matrix::kC, word));
    EXPECT_EQ(words_of(i, matrices.c), words) << name;
  }
}

TEST(MatrixModel, IsComparedProfileByProfile) {
  const MatrixInstruction i = instruction(kF16);
  constexpr u32 kCases = 36;
  Record record;
  for (u32 number = 0; number < kCases; ++number) {
    const std::vector<u32> words = words_of(i, multiply(i, matrices_of(i, number)));
    u64 sum = 0;
    for (u32 at = 0; at < words.size(); ++at) sum += mixed(words[at], at);
    record.sums.push_back(folded(sum));
    const auto* bytes = reinterpret_cast<const u8*>(words.data());
    record.raw.insert(record.raw.end(), bytes, bytes + words.size() * 4);
  }
  Agreement found = compare_with_model(i, record);
  EXPECT_THAT(found.cases, testing::Each(3));
  EXPECT_THAT(found.different, testing::Each(0));
  record.sums[17] ^= 1;
  record.raw[17 * i.words_of_d() * 4 + 8] ^= 1;
  found = compare_with_model(i, record);
  EXPECT_EQ(found.different[17 % kProfiles], 1u);
  EXPECT_EQ(std::accumulate(found.different.begin(), found.different.end(), 0u), 1u);
  EXPECT_THAT(found.first, testing::HasSubstr("case 17, word 2: "));
}

}  // namespace
}  // namespace heddle::golden
