// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/schedule.h"

#include <gtest/gtest.h>

namespace heddle::machine {

TEST(Schedule, IsFastOrHasASeed) {
  const std::pair<std::string_view, std::optional<u64>> good[] = {
      {"fast", std::nullopt}, {"seed:0", 0}, {"seed:18446744073709551615", ~u64{0}}};
  for (const auto& [text, seed] : good) {
    const auto parsed = parse_schedule(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, seed) << text;
  }
  for (const std::string_view bad :
       {"", "seed", "seed:", "seed:-1", "seed:1x", "seed:18446744073709551616", "slow", "FAST"})
    EXPECT_FALSE(parse_schedule(bad).ok()) << bad;
}

TEST(Schedule, RandomNumbersStayBelowTheirBoundAndRepeat) {
  Random a(7), b(7);
  u32 seen = 0;
  for (int i = 0; i < 1000; ++i) {
    const u32 number = a.below(5);
    ASSERT_LT(number, 5u);
    EXPECT_EQ(number, b.below(5));
    seen |= 1u << number;
  }
  EXPECT_EQ(seen, 31u);
}

}  // namespace heddle::machine
