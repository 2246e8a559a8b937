// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers when part of the block has exited, and barriers that reduce.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(EarlyExit, "early_exit");

TEST_P(EarlyExit, TheRestOfTheBlockPassesTheBarrier) {
  for (unsigned block : {1u, 32u, 64u, 100u, 1024u}) {
    for (int stay : {1, 31, 32, 33, 70, 1024}) {
      if (stay > int(block)) continue;
      SCOPED_TRACE(testing::Message() << block << " threads, " << stay << " stay");
      const auto values = random_values<int>(2 * block, 1);
      Buffer device(values);
      Buffer<int> out(2 * block);
      launch("exit_then_barrier", {{2}, {block}}, device, out, stay);
      EXPECT_SAME(out, tabulate(2 * block, [&](size_t i) {
                    const size_t thread = i % block;
                    return int(thread) < stay ? values[i / block * block + stay - 1 - thread] : 0;
                  }));
    }
  }
}

TEST_P(EarlyExit, ThreadsLeaveOneByOne) {
  for (unsigned block : {1u, 2u, 32u, 45u, 96u}) {
    SCOPED_TRACE(block);
    Buffer<int> arrivals(2 * block);
    launch("leave_one_by_one", {{2}, {block}}, arrivals);
    EXPECT_SAME(arrivals, tabulate(2 * block, [&](size_t i) { return int(block - i % block); }));
  }
}

TEST_P(EarlyExit, BarriersReducePredicates) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    auto values = random_values<int>(shape.threads(), 2);
    values[0] = 7;                    // in the first block not all are != 7
    values[shape.threads() - 1] = 9;  // in the last block one is 9
    Buffer device(values);
    Buffer<int> out(values.size());
    launch("barrier_reductions", shape, device, out);
    EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                  const auto begin = values.begin() + i / shape.block.x * shape.block.x;
                  const auto end = begin + shape.block.x;
                  const int count = std::count_if(begin, end, [](int v) { return v > 0; });
                  const bool all = std::count(begin, end, 7) == 0;
                  const bool any = std::count(begin, end, 9) != 0;
                  return count * 4 + all * 2 + any;
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
