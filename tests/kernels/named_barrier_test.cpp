// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named barriers.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(NamedBarrier, "named_barrier");

TEST_P(NamedBarrier, GroupsMeetApart) {
  for (unsigned block : {64u, 128u, 512u}) {
    SCOPED_TRACE(block);
    const auto values = random_values<int>(3 * block, 1);
    Buffer device(values);
    launch("reverse_in_groups", {{3}, {block}}, device);
    EXPECT_SAME(device, tabulate(values.size(), [&](size_t i) {  // an odd number of reversals
                  return values[i / 64 * 64 + 63 - i % 64];
                }));
  }
}

TEST_P(NamedBarrier, ProducerArrivesConsumerWaits) {
  const int rounds = 10;
  Buffer<int> out(4 * 32);
  launch("produce_and_consume", {{4}, {96}}, out, rounds);
  EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                uint32_t sum = 0;
                for (int round = 0; round < rounds; ++round) {
                  sum = sum * 3 + round * 100 + (31 - i % 32) + i / 32;
                }
                return int(sum);
              }));
}

TEST_P(NamedBarrier, ReductionOverAGroup) {
  const auto values = random_values<int>(2 * 256, 2);
  Buffer device(values);
  Buffer<int> out(values.size());
  launch("count_in_groups", {{2}, {256}}, device, out);
  EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                const auto begin = values.begin() + i / 64 * 64;
                return int(std::count_if(begin, begin + 64, [](int v) { return v > 0; }));
              }));
}

}  // namespace
}  // namespace heddle::kernels
