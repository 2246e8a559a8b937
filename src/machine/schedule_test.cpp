// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/schedule.h"

#include <gtest/gtest.h>

namespace heddle::machine {

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
