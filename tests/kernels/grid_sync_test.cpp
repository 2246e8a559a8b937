// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(GridSync, "grid_sync");

TEST_P(GridSync, PrefixSumOverTheGrid) {
  for (const unsigned grid : {1u, 2u, 7u, 48u}) {
    for (const unsigned block : {32u, 100u}) {
      Shape shape{{grid}, {block}};
      shape.cooperative = true;
      SCOPED_TRACE(shape);
      auto values = random_values<uint32_t>(2 * grid * block, 1);
      Buffer device(values);
      launch("grid_scan", shape, device);
      std::vector<uint32_t> result = device.values();
      result.resize(grid * block);
      values.resize(grid * block);
      for (size_t i = 1; i < values.size(); ++i) values[i] += values[i - 1];
      EXPECT_TRUE(same(result, values));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
