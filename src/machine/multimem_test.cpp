// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/multimem.h"

#include <gtest/gtest.h>

namespace heddle::machine {
namespace {

TEST(MultimemTest, OtherAddressesStandForThemselves) {
  Multimem multimem;
  Replicas all = multimem.find(0x5000);
  EXPECT_EQ(all.count, 1u);
  EXPECT_EQ(all.base[0] + (0x5000 - all.addresses.base), 0x5000u);
  multimem.replace({0x4000, 0x2000}, {{.addresses = {0x4000, 0x2000}, .bases = {0x10000}}});
  const Replicas below = multimem.find(0x3fff), above = multimem.find(0x6000);
  EXPECT_EQ(below.addresses.end(), 0x4000u);
  EXPECT_EQ(above.addresses.base, 0x6000u);
  EXPECT_EQ(above.base[0], 0x6000u);
  EXPECT_FALSE(multimem.contains(0x3fff));
  EXPECT_TRUE(multimem.contains(0x4000));
  EXPECT_TRUE(multimem.contains(0x5fff));
  EXPECT_FALSE(multimem.contains(0x6000));
}

TEST(MultimemTest, PartsAreReplaced) {
  Multimem multimem;
  multimem.replace({0x4000, 0x2000},
                   {{.addresses = {0x4000, 0x1000}, .bases = {0x10000, 0x20000}},
                    {.addresses = {0x5000, 0x1000}, .why_missing = "nothing there"}});
  EXPECT_EQ(multimem.find(0x4abc).count, 2u);
  EXPECT_EQ(multimem.find(0x4abc).base[1], 0x20000u);
  EXPECT_EQ(multimem.find(0x5000).count, 0u);
  EXPECT_EQ(multimem.why_missing(0x5000), "nothing there");
  EXPECT_EQ(multimem.why_missing(0x4000), "");
  multimem.replace({0x4000, 0x2000},
                   {{.addresses = {0x4000, 0x2000}, .bases = {0x10000}, .is_writable = false}});
  EXPECT_EQ(multimem.find(0x5000).count, 1u);
  EXPECT_FALSE(multimem.find(0x5000).is_writable);
  multimem.replace({0x4000, 0x2000}, {});
  EXPECT_FALSE(multimem.contains(0x5000));
}

}  // namespace
}  // namespace heddle::machine
