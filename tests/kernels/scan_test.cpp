// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums by barriers and by shuffles.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Scan, "scan");

// Inclusive sums that start again every `segment` elements.
std::vector<uint32_t> segmented_sums(const std::vector<uint32_t>& values, size_t segment) {
  uint32_t sum = 0;
  return tabulate(values.size(),
                  [&](size_t i) { return sum = (i % segment == 0 ? 0 : sum) + values[i]; });
}

TEST_P(Scan, BlockInAnySize) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<uint32_t>(shape.threads(), 1);
    Buffer in(values);
    Buffer<uint32_t> out(values.size());
    launch("scan_block", shape.with_shared(2 * sizeof(uint32_t) * shape.block.x), in, out);
    EXPECT_SAME(out, segmented_sums(values, shape.block.x));
  }
}

TEST_P(Scan, WarpSegmentsOfEveryWidth) {
  for (const Shape& shape : kWarpShapes) {
    for (int width : {1, 2, 4, 8, 16, 32}) {
      SCOPED_TRACE(testing::Message() << shape << ", width " << width);
      const auto values = random_values<uint32_t>(shape.threads(), 2);
      Buffer in(values);
      Buffer<uint32_t> out(values.size());
      launch("scan_warp", shape, in, out, width);
      EXPECT_SAME(out, segmented_sums(values, width));
    }
  }
}

TEST_P(Scan, ExclusiveBlockScanOf64BitValues) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<uint64_t>(shape.threads(), 3);
    Buffer in(values);
    Buffer<uint64_t> out(values.size());
    launch("scan_block_by_warps", shape, in, out);
    uint64_t sum = 0;
    EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                  if (i % shape.block.x == 0) sum = 0;
                  return std::exchange(sum, sum + values[i]);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
