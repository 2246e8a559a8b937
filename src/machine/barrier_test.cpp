// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/barrier.h"

#include <gtest/gtest.h>

namespace heddle::machine {

TEST(Barrier, WaitsForAllThatLiveOrForACount) {
  const u32 alive[] = {~0u, 0xffff, ~0u};
  const auto living = [&](u32 w) { return alive[w]; };
  Barrier barrier;
  barrier.begin(3, 0);
  barrier.arrived[0] = ~0u;
  barrier.arrived[2] = ~0u;
  EXPECT_FALSE(barrier.is_complete(living));
  barrier.arrived[1] = 0xffff;
  EXPECT_TRUE(barrier.is_complete(living));

  // A warp counts as 32 threads when all its live threads have arrived, otherwise by its arrived
  // threads.
  barrier.begin(3, 64);
  barrier.arrived[1] = 0xffff;
  EXPECT_FALSE(barrier.is_complete(living));
  barrier.arrived[0] = 0x7fffffff;
  EXPECT_FALSE(barrier.is_complete(living));
  barrier.arrived[0] = ~0u;
  EXPECT_TRUE(barrier.is_complete(living));
}

TEST(Barrier, CountsPredicates) {
  Barrier barrier;
  barrier.begin(2, 0);
  barrier.vote(0xff, 0x0f);
  EXPECT_TRUE(barrier.all);
  barrier.vote(0x1, 0x3);
  EXPECT_FALSE(barrier.all);
  EXPECT_EQ(barrier.popc, 5u);
}

TEST(Barrier, SaysWhatIsWrong) {
  std::vector<Barrier> barriers(kBarriers);
  barriers[3].begin(2, 64);
  const u32 zero = 0, odd = 33, fine = 64, other = 32, most = 96;
  const struct {
    u32 number;
    const u32* count;
    const char* why;
  } cases[] = {
      {0, nullptr, ""},
      {3, &fine, ""},
      {16, nullptr, "barrier 16 does not exist; a CTA has 16"},
      {1, &zero, "thread count 0 is not a multiple of the warp size"},
      {1, &odd, "thread count 33 is not a multiple of the warp size"},
      {1, &most, "thread count 96 exceeds the CTA's 64 threads"},
      {3, &other, "barrier 3 waits for 64 threads, this instruction says 32"},
      {3, nullptr, "barrier 3 waits for 64 threads, this instruction says 0"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(refuse_barrier(barriers, one.number, one.count, 2), one.why);
}

}  // namespace heddle::machine
