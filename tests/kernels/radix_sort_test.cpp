// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compaction and radix sort by ballots.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(RadixSort, "radix_sort");

TEST_P(RadixSort, CompactionKeepsExactlyThePassing) {
  for (int n : {1, 100, 1000}) {
    for (unsigned block : {32u, 256u}) {
      SCOPED_TRACE(testing::Message() << n << " values, " << block << " threads");
      const auto values = random_values<int>(n, 1);
      Buffer in(values);
      Buffer<int> out(n), count(1);
      launch("compact", {{(n + block - 1) / block}, {block}}, in, n, 1 << 20, out, count);
      std::vector<int> expected;
      std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
                   [](int v) { return v >= 1 << 20; });
      EXPECT_SAME(count, {int(expected.size())});
      auto kept = out.values();
      kept.resize(expected.size());
      std::sort(kept.begin(), kept.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_SAME(kept, expected);
    }
  }
}

TEST_P(RadixSort, BlocksSortStably) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const size_t block = shape.block.x;
    auto keys = random_values<uint32_t>(shape.threads(), 2);
    for (size_t i = 0; i < keys.size(); i += 3) keys[i] &= 0x80000003;  // many equal keys
    std::vector<uint32_t> sorted, order;
    for (size_t begin = 0; begin < keys.size(); begin += block) {
      auto indices = tabulate(block, [](size_t i) { return uint32_t(i); });
      std::stable_sort(indices.begin(), indices.end(),
                       [&](uint32_t a, uint32_t b) { return keys[begin + a] < keys[begin + b]; });
      for (uint32_t index : indices) {
        order.push_back(index);
        sorted.push_back(keys[begin + index]);
      }
    }
    Buffer device(keys);
    Buffer<uint32_t> indices(keys.size());
    launch("radix_sort_block", shape, device, indices);
    EXPECT_SAME(device, sorted);
    EXPECT_SAME(indices, order);
  }
}

}  // namespace
}  // namespace heddle::kernels
