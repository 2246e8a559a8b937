// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shifts by every amount around the limits, and prmt against the tables of PTX ISA 9.7.9.7.
#include "isa/sem/shift.h"

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

constexpr u32 kAmounts[] = {0,  1,  15, 16,  17,  31,         32,        33,
                            63, 64, 65, 255, 256, 0x80000000, 0xffffffff};

template <class T>
T shifted_by_ones(T a, u32 amount, bool left) {
  for (u32 i = 0; i < std::min<u32>(amount, 8 * sizeof(T)); ++i) {
    a = left ? wrap<T>(to_unsigned(a) << 1) : static_cast<T>(a >> 1);
  }
  return a;
}

template <class T>
class Shift : public testing::Test {};
using ShiftedTypes = testing::Types<u16, s16, u32, s32, u64, s64>;
TYPED_TEST_SUITE(Shift, ShiftedTypes);

TYPED_TEST(Shift, ClampsAtTheWidth) {
  const TypeParam tops[] = {static_cast<TypeParam>(~TypeParam{0}),
                            static_cast<TypeParam>(0x8123456789abcdef),
                            static_cast<TypeParam>(0x7123456789ab7def), TypeParam{1}};
  for (TypeParam a : tops) {
    for (u32 amount : kAmounts) {
      EXPECT_EQ(shift_left(a, amount), shifted_by_ones(a, amount, true)) << +a << " << " << amount;
      EXPECT_EQ(shift_right(a, amount), shifted_by_ones(a, amount, false))
          << +a << " >> " << amount;
    }
  }
}

TEST(Shift, FunnelJoinsTwoWords) {
  const u32 low = 0x89abcdef, high = 0x01234567;
  for (u32 n = 0; n <= 32; ++n) {
    const u32 left = n == 0 ? high : n == 32 ? low : high << n | low >> (32 - n);
    const u32 right = n == 0 ? low : n == 32 ? high : high << (32 - n) | low >> n;
    EXPECT_EQ((funnel_shift<Shfdir::l, Wrapmode::clamp>(low, high, n)), left) << n;
    EXPECT_EQ((funnel_shift<Shfdir::r, Wrapmode::clamp>(low, high, n)), right) << n;
    EXPECT_EQ((funnel_shift<Shfdir::l, Wrapmode::wrap>(low, high, n + 32)), n == 32 ? high : left)
        << n;
    EXPECT_EQ((funnel_shift<Shfdir::r, Wrapmode::wrap>(low, high, n + 64)), n == 32 ? low : right)
        << n;
  }
}

// Source bytes are 0x10 + their number, so that a result reads like a row of the manual's table.
struct PermuteRow {
  Prmtmode mode;
  u32 expected[4];
};
constexpr PermuteRow kRows[] = {
    {Prmtmode::f4e, {0x13121110, 0x14131211, 0x15141312, 0x16151413}},
    {Prmtmode::b4e, {0x15161710, 0x16171011, 0x17101112, 0x10111213}},
    {Prmtmode::rc8, {0x10101010, 0x11111111, 0x12121212, 0x13131313}},
    {Prmtmode::ecl, {0x13121110, 0x13121111, 0x13121212, 0x13131313}},
    {Prmtmode::ecr, {0x10101010, 0x11111110, 0x12121110, 0x13121110}},
    {Prmtmode::rc16, {0x11101110, 0x13121312, 0x11101110, 0x13121312}},
};

TEST(Permute, ModesFollowTheTable) {
  for (const PermuteRow& row : kRows) {
    for (u32 c = 0; c < 4; ++c) {
      EXPECT_EQ(permute_bytes_mode(row.mode, 0x13121110, 0x17161514, c | 0xfffffff0),
                row.expected[c])
          << static_cast<int>(row.mode) << " " << c;
    }
  }
}

TEST(Permute, EverySelectorInEveryPlace) {
  const u8 bytes[] = {0x10, 0x91, 0x12, 0x93, 0x94, 0x15, 0x96, 0x17};
  for (u32 place = 0; place < 4; ++place) {
    for (u32 selector = 0; selector < 16; ++selector) {
      const u8 byte = bytes[selector & 7];
      const u32 expected = selector < 8 ? byte : byte & 0x80 ? 0xff : 0;
      const u32 result = permute_bytes(0x93129110, 0x17961594, selector << (4 * place));
      EXPECT_EQ(result >> (8 * place) & 0xff, expected) << place << " " << selector;
    }
  }
}

}  // namespace
}  // namespace heddle::sem
