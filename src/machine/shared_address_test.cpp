// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/shared_address.h"

#include <gtest/gtest.h>

#include "machine/engine.h"

namespace heddle::machine {
namespace {

TEST(SharedAddress, TheRankStandsFromBit24On) {
  EXPECT_EQ(first_shared_address(0), 0u);
  EXPECT_EQ(first_shared_address(3), 0x300'0000u);
  EXPECT_EQ(rank_of_shared_address(0x300'0040), 3u);
  EXPECT_EQ(offset_of_shared_address(0x300'0040), 0x40u);
  for (u32 rank = 0; rank < kLargestCluster; ++rank)
    EXPECT_EQ(first_shared_address(rank) & 0xFEFF'FFFF, first_shared_address(rank & ~1u));
}

TEST(SharedAddress, TheUsedAddressOfADistance) {
  struct Row {
    u64 used;
    u32 rank;
    bool wide;  ///< the address has 64 bits
  };
  const Row rows[] = {
      {0x10, 0, false},       {0x200'0010, 2, false},  {0x10, 2, false},
      {0x300'0010, 2, false}, {0xffff'fff0, 2, false}, {0x10, 2, true},
      {0x300'0010, 2, true},  {u64{1} << 40, 2, true}, {~u64{0}, 2, true},
  };
  for (const Row& row : rows) {
    u64 distance = row.used - first_shared_address(row.rank);
    if (!row.wide) distance = static_cast<u32>(distance);
    EXPECT_EQ(used_shared_address(distance, row.rank), row.used);
  }
}

TEST(SharedAddress, WhyItMayNotBeAccessed) {
  Launch launch{};
  launch.cluster = {2, 2, 1};
  launch.shared_bytes = 100;
  const std::string foreign = "this is shared memory of CTA 3 of the cluster, which CTA 1 reaches";
  EXPECT_TRUE(describe_shared_address(0x300'0010, 1, launch).starts_with(foreign));
  for (const u64 address : {0x100'0070u, 0x400'0000u})
    EXPECT_EQ(describe_shared_address(address, 1, launch),
              "the CTA has 100 bytes of shared memory");
}

}  // namespace
}  // namespace heddle::machine
