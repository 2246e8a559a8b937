// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/patience.h"

#include <gtest/gtest.h>

namespace heddle::machine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Time = Patience::Time;

/// Gives each of the resident CTAs its turns until `count` have begun, when none finishes and a
/// unit of the budget takes `unit`. Returns how long that took.
Time begin_all(std::size_t count, Time unit, bool waits = false) {
  Patience patience(false);
  std::size_t resident = 1;
  Time all{};
  while (resident < count) {
    if (patience.is_over(resident)) {
      resident = std::min(2 * resident, count);
      patience.begun();
    }
    for (std::size_t i = 0; i < resident; ++i) {
      const Time turn = unit * static_cast<Time::rep>(waits ? 1 : patience.slice());
      patience.ran(turn, waits);
      all += turn;
    }
  }
  return all;
}

TEST(Patience, TimeUntilAllHaveBegunIsProportional) {
  for (const Time unit : {Time(3), Time(50), Time(2000)}) {
    const Time few = begin_all(100, unit), many = begin_all(1600, unit);
    EXPECT_LT(many, 20 * few) << unit.count();
    EXPECT_LT(many, 1600 * milliseconds(3)) << unit.count();
  }
}

TEST(Patience, WhoWaitsIsBelievedAtOnce) {
  EXPECT_LT(begin_all(1000, Time(10), true), milliseconds(1));
}

TEST(Patience, OneThatComputesHasLongTurns) {
  Patience patience(false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(patience.is_over(1));
    patience.ran(Time(static_cast<Time::rep>(patience.slice()) * 10), false);
  }
  EXPECT_EQ(patience.slice(), Patience::kMost);
  patience.finished(true);
  EXPECT_EQ(patience.slice(), Patience::kMost);
  EXPECT_FALSE(patience.is_over(1));
}

TEST(Patience, TurnsGrowWhenThereIsNobodyElse) {
  Patience patience(true);
  const auto settle = [&] {
    for (int i = 0; i < 5; ++i)
      patience.ran(Time(static_cast<Time::rep>(patience.slice()) * 100), false);
    return patience.slice() * 100;
  };
  EXPECT_EQ(settle(), static_cast<u64>(Time(Patience::kShortTurn).count()));
  for (int i = 0; i < 10; ++i) patience.in_vain();
  EXPECT_EQ(settle(), static_cast<u64>(Time(Patience::kTurn).count()));
  patience.begun();
  EXPECT_EQ(settle(), static_cast<u64>(Time(Patience::kShortTurn).count()));
}

}  // namespace
}  // namespace heddle::machine
