// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(CooperativeGroups, "cooperative_groups");

TEST_P(CooperativeGroups, GridSum) {
  const auto in = random_values<uint32_t>(10000, 1);
  uint32_t sum = 0;
  for (const uint32_t value : in) sum += value;
  for (const unsigned grid : {1u, 3u, 40u}) {
    Shape shape{{grid}, {128}};
    shape.cooperative = true;
    SCOPED_TRACE(shape);
    Buffer device(in);
    Buffer<uint32_t> partial(grid), out(1);
    launch("grid_sum", shape, device, partial, out, int(in.size()));
    EXPECT_SAME(out, std::vector<uint32_t>{sum});
  }
}

TEST_P(CooperativeGroups, Clusters) {
  const auto in = random_values<uint32_t>(16, 2);
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    SCOPED_TRACE(size);
    Buffer device(in);
    Buffer<uint32_t> out(16);
    launch("cluster_rotate", Shape{{16}, {40}}.with_cluster({size}), device, out);
    EXPECT_SAME(out, tabulate(16, [&](size_t i) { return in[i / size * size + (i + 1) % size]; }));
  }
}

TEST_P(CooperativeGroups, Copies) {
  for (const unsigned block : {32u, 96u, 128u}) {
    SCOPED_TRACE(block);
    const auto in = random_values<uint32_t>(3 * 2 * block * 4, 3);
    Buffer device(in);
    Buffer<uint32_t> out(in.size());
    launch("copy_through_shared", {{3}, {block}}, device, out);
    EXPECT_SAME(out, in);
  }
}

}  // namespace
}  // namespace heddle::kernels
