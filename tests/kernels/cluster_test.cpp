// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread block clusters (sm_90), from hand-written PTX.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Cluster, "cluster");

TEST_P(Cluster, BlocksReadTheNeighboursSharedMemory) {
  for (unsigned block : {1u, 32u, 50u, 256u}) {
    SCOPED_TRACE(block);
    const auto values = random_values<uint32_t>(8 * block, 1);
    Buffer in(values);
    Buffer<uint32_t> out(values.size());
    launch("rotate_in_cluster", {{8}, {block}}, in, out);
    EXPECT_SAME(out, tabulate(values.size(), [&](size_t i) {
                  const size_t rank = i / block;
                  return values[(rank / 4 * 4 + (rank + 1) % 4) * block + i % block];
                }));
  }
}

TEST_P(Cluster, AtomicsOnAnotherBlocksSharedMemory) {
  for (unsigned block : {1u, 45u, 256u}) {
    SCOPED_TRACE(block);
    Buffer<uint32_t> out(3);
    launch("count_in_cluster", {{6}, {block}}, out);
    EXPECT_SAME(out, std::vector<uint32_t>(3, 2 * block));
  }
}

}  // namespace
}  // namespace heddle::kernels
