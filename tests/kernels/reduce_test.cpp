// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: barriers in a loop, shuffles, and the last-block pattern.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Reduce, "reduce");

uint32_t sum_of(const std::vector<uint32_t>& values, size_t begin, size_t end) {
  uint32_t sum = 0;
  for (size_t i = begin; i < std::min(end, values.size()); ++i) sum += values[i];
  return sum;
}

TEST_P(Reduce, TreeInAnyBlockSize) {
  const auto values = random_values<uint32_t>(777, 1);
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const size_t block = shape.block.x;
    Buffer device(values);
    Buffer<uint32_t> sums(shape.grid.x);
    launch("reduce_tree", shape.with_shared(block * sizeof(uint32_t)), device, 777, sums);
    EXPECT_SAME(sums, tabulate(shape.grid.x, [&](size_t b) {
                  return sum_of(values, b * block, (b + 1) * block);
                }));
  }
}

// The value of lane 0 after the shuffle reduction of one warp.
float ladder(std::vector<float> lanes) {
  for (size_t offset = 16; offset > 0; offset /= 2) {
    for (size_t lane = 0; lane < offset; ++lane) lanes[lane] += lanes[lane + offset];
  }
  return lanes[0];
}

TEST_P(Reduce, ShufflesAddInLadderOrder) {
  const auto values = random_values<float>(700, 2);
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    Buffer device(values);
    Buffer<float> sums(shape.grid.x);
    launch("reduce_shuffle", shape, device, 700, sums);
    EXPECT_SAME(sums, tabulate(shape.grid.x, [&](size_t block) {
                  std::vector<float> warp_sums(32, 0.0f);
                  for (size_t warp = 0; warp < shape.block.x / 32; ++warp) {
                    warp_sums[warp] = ladder(tabulate(32, [&](size_t lane) {
                      const size_t i = block * shape.block.x + warp * 32 + lane;
                      return i < values.size() ? values[i] : 0.0f;
                    }));
                  }
                  return ladder(warp_sums);
                }));
  }
}

TEST_P(Reduce, LastBlockSeesEveryPartialSum) {
  const auto values = random_values<uint32_t>(10000, 3);
  for (const Shape& shape : {Shape{{1}, {32}}, Shape{{40}, {64}}, Shape{{13}, {100}}}) {
    SCOPED_TRACE(shape);
    Buffer device(values);
    Buffer<uint32_t> partial(shape.grid.x), total(1);
    // Twice: the ticket counter wraps to zero by itself.
    for (int run = 0; run < 2; ++run) {
      launch("reduce_last_block", shape, device, 10000, partial, total);
      EXPECT_SAME(total, {sum_of(values, 0, values.size())});
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
