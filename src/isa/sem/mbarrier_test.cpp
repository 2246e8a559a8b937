// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/sem/mbarrier.h"

#include <gtest/gtest.h>

namespace heddle::sem {
namespace {

u64 object(u32 pending, u32 expected, s32 tx, bool odd) {
  return pack_mbarrier({pending, expected, tx, odd});
}

TEST(Mbarrier, KeepsWhatIsPutIn) {
  for (const s32 tx : {0, 1, -1, 4096, s32{kMbarrierMost}, -s32{kMbarrierMost}}) {
    for (const u32 count : {0u, 1u, 77u, kMbarrierMost}) {
      for (const bool odd : {false, true}) {
        const u64 word = object(count, kMbarrierMost - count, tx, odd);
        EXPECT_TRUE(is_mbarrier(word));
        const Mbarrier back = unpack_mbarrier(word);
        EXPECT_EQ(back.pending, count);
        EXPECT_EQ(back.expected, kMbarrierMost - count);
        EXPECT_EQ(back.tx, tx);
        EXPECT_EQ(back.odd, odd);
      }
    }
  }
}

TEST(Mbarrier, Operations) {
  struct Row {
    const char* what;
    MbarrierResult result;
    u64 word;
    MbarrierFault fault = MbarrierFault::none;
  };
  const u64 three = object(3, 3, 0, false);
  const u32 most = kMbarrierMost;
  const Row rows[] = {
      {"init", mbarrier_init(3), three},
      {"init 0", mbarrier_init(0), 0, MbarrierFault::count_out_of_range},
      {"init 2^20", mbarrier_init(most + 1), 0, MbarrierFault::count_out_of_range},
      {"arrive", mbarrier_arrive(three, 1, false, false), object(2, 3, 0, false)},
      {"arrive 2", mbarrier_arrive(three, 2, false, false), object(1, 3, 0, false)},
      {"arrive, last", mbarrier_arrive(three, 3, false, false), object(3, 3, 0, true)},
      {"arrive, last of an odd phase", mbarrier_arrive(object(1, 3, 0, true), 1, false, false),
       three},
      {"arrive 4", mbarrier_arrive(three, 4, false, false), three,
       MbarrierFault::too_many_arrivals},
      {"arrive 0", mbarrier_arrive(three, 0, false, false), three,
       MbarrierFault::count_out_of_range},
      {"arrive, zeros", mbarrier_arrive(0, 1, false, false), 0, MbarrierFault::not_initialised},
      {"noComplete", mbarrier_arrive(three, 2, false, true), object(1, 3, 0, false)},
      {"noComplete that does", mbarrier_arrive(three, 3, false, true), three,
       MbarrierFault::completes_the_phase},
      {"noComplete, bytes are missing", mbarrier_arrive(object(1, 3, 16, false), 1, false, true),
       object(0, 3, 16, false)},
      {"drop", mbarrier_arrive(three, 1, true, false), object(2, 2, 0, false)},
      {"drop, last", mbarrier_arrive(object(1, 3, 0, false), 1, true, false),
       object(2, 2, 0, true)},
      {"drop 2 of 1", mbarrier_arrive(object(2, 1, 0, false), 2, true, false),
       object(2, 1, 0, false), MbarrierFault::too_many_drops},
      {"expect", mbarrier_expect_tx(three, 4096), object(3, 3, 4096, false)},
      {"expect too much", mbarrier_expect_tx(object(3, 3, 1, false), most), object(3, 3, 1, false),
       MbarrierFault::tx_out_of_range},
      {"expect what was there before", mbarrier_expect_tx(object(0, 3, -16, false), 16),
       object(3, 3, 0, true)},
      {"arrive, bytes are missing", mbarrier_arrive(object(1, 3, 16, false), 1, false, false),
       object(0, 3, 16, false)},
      {"complete", mbarrier_complete_tx(object(0, 3, 16, false), 16), object(3, 3, 0, true)},
      {"complete, arrivals are missing", mbarrier_complete_tx(object(1, 3, 16, false), 16),
       object(1, 3, 0, false)},
      {"complete before expect", mbarrier_complete_tx(three, 16), object(3, 3, -16, false)},
      {"complete too much", mbarrier_complete_tx(object(3, 3, -1, false), most),
       object(3, 3, -1, false), MbarrierFault::tx_out_of_range},
      {"extra", mbarrier_arrive_extra(three), three},
      {"extra, full", mbarrier_arrive_extra(object(most, most, 0, false)),
       object(most, most, 0, false), MbarrierFault::too_many_pending},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(row.result.word, row.word) << row.what;
    EXPECT_EQ(row.result.fault, row.fault) << row.what;
  }
}

TEST(Mbarrier, Phases) {
  const u64 even = object(3, 3, 0, false), odd = object(2, 3, 8, true);
  EXPECT_FALSE(mbarrier_is_past_state(even, object(1, 3, 0, false)));
  EXPECT_TRUE(mbarrier_is_past_state(odd, even));
  EXPECT_TRUE(mbarrier_is_past_state(even, odd));
  EXPECT_FALSE(mbarrier_is_past_parity(even, 0));
  EXPECT_TRUE(mbarrier_is_past_parity(even, 1));  // the phase before the first one
  EXPECT_TRUE(mbarrier_is_past_parity(odd, 0));
  EXPECT_EQ(mbarrier_pending_count(odd), 2u);
}

}  // namespace
}  // namespace heddle::sem
