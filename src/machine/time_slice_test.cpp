// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/time_slice.h"

#include <gtest/gtest.h>

namespace heddle::machine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Time = TimeSlice::Time;

/// Runs slices of the resident CTAs until `count` have begun, where none finishes and a unit of the
/// budget takes `unit`. Returns the time that it took.
Time begin_all(std::size_t count, Time unit, bool waits = false) {
  TimeSlice slice(false);
  std::size_t resident = 1;
  Time all{};
  while (resident < count) {
    if (slice.is_used_up(resident)) {
      resident = std::min(2 * resident, count);
      slice.more_begun();
    }
    for (std::size_t i = 0; i < resident; ++i) {
      const Time time = unit * static_cast<Time::rep>(waits ? 1 : slice.budget());
      slice.unfinished(time, waits);
      all += time;
    }
  }
  return all;
}

TEST(TimeSlice, TimeUntilAllHaveBegunIsProportional) {
  for (const Time unit : {Time(3), Time(50), Time(2000)}) {
    const Time few = begin_all(100, unit), many = begin_all(1600, unit);
    EXPECT_LT(many, 20 * few) << unit.count();
    EXPECT_LT(many, 1600 * milliseconds(3)) << unit.count();
  }
}

TEST(TimeSlice, ACtaThatWaitsEndsItsSlice) {
  EXPECT_LT(begin_all(1000, Time(10), true), milliseconds(1));
}

TEST(TimeSlice, ACtaAloneHasLongSlices) {
  TimeSlice slice(false);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(slice.is_used_up(1));
    slice.unfinished(Time(static_cast<Time::rep>(slice.budget()) * 10), false);
  }
  EXPECT_EQ(slice.budget(), TimeSlice::kMost);
  slice.finished(true);
  EXPECT_EQ(slice.budget(), TimeSlice::kMost);
  EXPECT_FALSE(slice.is_used_up(1));
}

TEST(TimeSlice, SlicesGrowWhenAllCtasHaveBegun) {
  TimeSlice slice(true);
  const auto settle = [&] {
    for (int i = 0; i < 5; ++i)
      slice.unfinished(Time(static_cast<Time::rep>(slice.budget()) * 100), false);
    return slice.budget() * 100;
  };
  EXPECT_EQ(settle(), static_cast<u64>(Time(TimeSlice::kShort).count()));
  for (int i = 0; i < 10; ++i) slice.none_to_begin();
  EXPECT_EQ(settle(), static_cast<u64>(Time(TimeSlice::kLong).count()));
  slice.more_begun();
  EXPECT_EQ(settle(), static_cast<u64>(Time(TimeSlice::kShort).count()));
}

}  // namespace
}  // namespace heddle::machine
