// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/printf.h"

#include <gtest/gtest.h>

#include <bit>
#include <climits>

namespace heddle::machine {
namespace {

PrintfValue integer(u64 bits) { return {.bits = bits}; }
PrintfValue real(double value) { return {.bits = std::bit_cast<u64>(value)}; }
PrintfValue string(const char* text) { return {.bits = 1, .text = text}; }

TEST(Printf, Formats) {
  const struct {
    const char* format;
    std::vector<PrintfValue> values;
    const char* text;
  } cases[] = {
      {"", {}, ""},
      {"no argument\n", {}, "no argument\n"},
      {"100%%", {}, "100%"},
      {"%d %i", {integer(0xffffffff), integer(7)}, "-1 7"},
      {"%u", {integer(0xffffffff)}, "4294967295"},
      {"%5d|%-5d|%05d|%+d",
       {integer(42), integer(42), integer(42), integer(42)},
       "   42|42   |00042|+42"},
      {"%*d|%-*d", {integer(4), integer(1), integer(3), integer(2)}, "   1|2  "},
      {"%*d|", {integer(0xfffffffc), integer(1)}, "1   |"},
      {"%x %X %#x %o", {integer(255), integer(255), integer(255), integer(8)}, "ff FF 0xff 10"},
      {"%ld %lld %lu",
       {integer(~u64{0}), integer(u64{1} << 40), integer(~u64{0})},
       "-1 1099511627776 18446744073709551615"},
      {"%hd %hhu %hhd", {integer(0x18000), integer(0x1ff), integer(0x80)}, "-32768 255 -128"},
      {"%f %.2f %e %g",
       {real(1.5), real(2.345), real(12345.678), real(0.0001)},
       "1.500000 2.35 1.234568e+04 0.0001"},
      {"%.*f", {integer(1), real(0.25)}, "0.2"},
      {"%c%c", {integer('o'), integer('k')}, "ok"},
      {"%s|%5s|%-5s|%.2s",
       {string("abc"), string("abc"), string("abc"), string("abc")},
       "abc|  abc|abc  |ab"},
      {"%p", {integer(0x1234)}, "0x1234"},
      {"%zu %td", {integer(5), integer(6)}, "5 6"},
      {"%y and %", {}, "%y and %"},
      {"%d", {}, "0"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(print_formatted(one.format, one.values), one.text) << one.format;
}

TEST(Printf, ArgumentsLieAtTheirAlignment) {
  const auto arguments = printf_arguments("%d %f %c %s %ld %*.*f %%");
  const std::vector<std::pair<u32, u32>> expected = {{0, 4},  {8, 8},  {16, 4}, {24, 8},
                                                     {32, 8}, {40, 4}, {44, 4}, {48, 8}};
  ASSERT_EQ(arguments.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(arguments[i].offset, expected[i].first) << i;
    EXPECT_EQ(arguments[i].bytes, expected[i].second) << i;
    EXPECT_EQ(arguments[i].is_string, i == 3) << i;
  }
}

}  // namespace
}  // namespace heddle::machine
