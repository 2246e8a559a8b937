// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scalar.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

struct Accepted {
  Scalar type;
  const char* text;
  u64 bits;
};

TEST(ParseScalar, GivesTheBits) {
  const Accepted cases[] = {
      {Scalar::u8, "255", 0xff},
      {Scalar::u8, "-128", 0x80},
      {Scalar::s8, "-1", 0xff},
      {Scalar::s8, "0xff", 0xff},
      {Scalar::u16, "0b101", 5},
      {Scalar::u32, "4294967295", 0xffffffff},
      {Scalar::u32, "-1", 0xffffffff},
      {Scalar::u32, "+7", 7},
      {Scalar::s32, "-2147483648", 0x80000000},
      {Scalar::s32, "0XFFFFFFFF", 0xffffffff},
      {Scalar::u64, "18446744073709551615", ~u64{0}},
      {Scalar::s64, "-9223372036854775808", u64{1} << 63},
      {Scalar::f32, "1000", 0x447a0000},
      {Scalar::f32, "-2.5", 0xc0200000},
      {Scalar::f32, "1e-3", 0x3a83126f},
      {Scalar::f32, "inf", 0x7f800000},
      {Scalar::f32, "-inf", 0xff800000},
      {Scalar::f32, "0f3f800000", 0x3f800000},
      {Scalar::f32, "0F7fc00001", 0x7fc00001},
      {Scalar::f32, "0d3ff0000000000000", 0x3f800000},
      {Scalar::f32, "0x3f800000", 0x3f800000},
      {Scalar::f64, "0f3f800000", 0x3ff0000000000000},
      {Scalar::f64, "0d3FF0000000000001", 0x3ff0000000000001},
      {Scalar::f64, "0.1", 0x3fb999999999999a},
      {Scalar::f16, "1.5", 0x3e00},
      {Scalar::f16, "65504", 0x7bff},
      {Scalar::f16, "inf", 0x7c00},
      {Scalar::f16, "0x3c00", 0x3c00},
      {Scalar::bf16, "1.00390625", 0x3f80},  // halfway, to even
      {Scalar::bf16, "-1", 0xbf80},
  };
  for (const Accepted& c : cases) {
    const auto bits = parse_scalar(c.type, c.text);
    ASSERT_TRUE(bits.ok()) << c.text << ": " << bits.error().message;
    EXPECT_EQ(*bits, c.bits) << "." << name_of(c.type) << " " << c.text;
  }
}

struct Refused {
  Scalar type;
  const char* text;
  const char* message;
};

TEST(ParseScalar, RefusesWhatIsNoNumberOrDoesNotFit) {
  const Refused cases[] = {
      {Scalar::u8, "256", "'256' does not fit .u8"},
      {Scalar::u8, "-129", "'-129' does not fit .u8"},
      {Scalar::s8, "128", "'128' does not fit .s8"},
      {Scalar::u8, "0x100", "'0x100' does not fit .u8"},
      {Scalar::s32, "2147483648", "'2147483648' does not fit .s32"},
      {Scalar::u64, "18446744073709551616", "'18446744073709551616' does not fit .u64"},
      {Scalar::u32, "2.5", "'2.5' is not a number of type .u32"},
      {Scalar::u32, "", "'' is not a number of type .u32"},
      {Scalar::u32, "-", "'-' is not a number of type .u32"},
      {Scalar::u32, "--1", "'--1' is not a number of type .u32"},
      {Scalar::u32, "1 ", "'1 ' is not a number of type .u32"},
      {Scalar::u32, "0x", "'0x' is not a number of type .u32"},
      {Scalar::u32, "0xg", "'0xg' is not a number of type .u32"},
      {Scalar::f32, "1e39", "'1e39' does not fit .f32"},
      {Scalar::f32, "1.0f", "'1.0f' is not a number of type .f32"},
      {Scalar::f32, "0f3f80000", "'0f3f80000' needs 8 hexadecimal digits after 0f"},
      {Scalar::f64, "0d3ff", "'0d3ff' needs 16 hexadecimal digits after 0d"},
      {Scalar::f16, "65520", "'65520' does not fit .f16"},
      {Scalar::f16, "0x10000", "'0x10000' does not fit .f16"},
  };
  for (const Refused& c : cases) {
    const auto bits = parse_scalar(c.type, c.text);
    ASSERT_FALSE(bits.ok()) << c.text;
    EXPECT_EQ(bits.error().message, c.message);
  }
}

TEST(PrintScalar, IsTheShortestTextThatReadsBack) {
  const Accepted cases[] = {
      {Scalar::u8, "200", 200},         {Scalar::s8, "-56", 200},
      {Scalar::s64, "-1", ~u64{0}},     {Scalar::u64, "18446744073709551615", ~u64{0}},
      {Scalar::f32, "0.1", 0x3dcccccd}, {Scalar::f32, "-0", 0x80000000},
      {Scalar::f32, "1", 0x3f800000},   {Scalar::f64, "0.1", 0x3fb999999999999a},
      {Scalar::f32, "inf", 0x7f800000}, {Scalar::f32, "nan", 0x7fffffff},
      {Scalar::f16, "1.5", 0x3e00},     {Scalar::bf16, "-1", 0xbf80},
  };
  for (const Accepted& c : cases) EXPECT_EQ(print_scalar(c.type, c.bits), c.text);
}

TEST(Scalar, NamesAreFound) {
  for (const char* name :
       {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64"}) {
    const auto type = find_scalar(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(name_of(*type), name);
  }
  EXPECT_FALSE(find_scalar("b32"));
  EXPECT_FALSE(find_scalar(""));
}

}  // namespace
}  // namespace heddle::cli
