// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/extent.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle::jit {
namespace {

TEST(Extent, JoinsWhatIsNear) {
  const Extent both = *Extent{16, 4}.joined({8, 4});
  EXPECT_EQ(both.low, 8u);
  EXPECT_EQ(both.bytes, 12u);
  const Extent same = *Extent{16, 8}.joined({20, 4});
  EXPECT_EQ(same.low, 16u);
  EXPECT_EQ(same.bytes, 8u);
}

TEST(Extent, DistancesAreTakenModulo2To64) {
  const Extent both = *Extent{~u64{0} - 3, 4}.joined({4, 4});
  EXPECT_EQ(both.low, ~u64{0} - 3);
  EXPECT_EQ(both.bytes, 12u);
}

TEST(Extent, NoLengthWrapsAround) {
  const u64 half = u64{1} << 63, reach = static_cast<u64>(kMostReach);
  // Joined one after the other, these have a sum of 2^64.
  EXPECT_FALSE((Extent{0, 4}.joined({half, 4})));
  EXPECT_FALSE((Extent{0, 4}.joined({half - 4, 4})));
  EXPECT_FALSE((Extent{0, 4}.joined({half + 4, 4})));
  EXPECT_FALSE((Extent{0, 4}.joined({reach, 4})));
  EXPECT_TRUE((Extent{0, 4}.joined({reach - 4, 4})));
  EXPECT_FALSE((Extent{reach, 4}.joined({0, 4})));
}

TEST(Extent, StridesThatWrapAroundAreNoLines) {
  EXPECT_TRUE(is_near(4));
  EXPECT_TRUE(is_near(-kMostReach));
  EXPECT_FALSE(is_near(s64{1} << 59));
  EXPECT_FALSE(is_near(std::numeric_limits<s64>::min()));
}

}  // namespace
}  // namespace heddle::jit
