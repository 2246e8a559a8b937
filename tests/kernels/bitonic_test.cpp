// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitonic sorts.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Bitonic, "bitonic");

std::vector<int> sorted_in_runs(std::vector<int> values, size_t run) {
  for (size_t i = 0; i < values.size(); i += run) {
    std::sort(values.begin() + i, values.begin() + i + run);
  }
  return values;
}

TEST_P(Bitonic, BlocksOfEveryPowerOfTwo) {
  for (unsigned block = 1; block <= 1024; block *= 2) {
    SCOPED_TRACE(block);
    const auto values = random_values<int>(3 * block, block);
    Buffer device(values);
    launch("bitonic_block", {{3}, {block}, block * 4}, device);
    EXPECT_SAME(device, sorted_in_runs(values, block));
  }
}

TEST_P(Bitonic, WholeArrayByManyLaunches) {
  const unsigned n = 2048;
  const auto values = random_values<int>(n, 1);
  Buffer device(values);
  for (unsigned size = 2; size <= n; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      launch("bitonic_pass", {{n / 128}, {128}}, device, n, size, stride);
    }
  }
  EXPECT_SAME(device, sorted_in_runs(values, n));
}

TEST_P(Bitonic, WarpsByShuffles) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    auto values = random_values<int>(shape.threads(), 2);
    values[5] = values[20];  // equal keys must both survive
    Buffer device(values);
    launch("bitonic_warp", shape, device);
    EXPECT_SAME(device, sorted_in_runs(values, 32));
  }
}

}  // namespace
}  // namespace heddle::kernels
