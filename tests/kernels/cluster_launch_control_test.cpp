// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(ClusterLaunchControl, "cluster_launch_control");

TEST_P(ClusterLaunchControl, EveryBlockIsRunOnceBySomebody) {
  for (const unsigned rows : {1u, 5u, 40u}) {
    SCOPED_TRACE(rows);
    Buffer<uint32_t> done(8 * rows), workers(1);
    launch("take_over", {{8, rows}, {1}}, done, workers);
    EXPECT_SAME(done, std::vector<uint32_t>(8 * rows, 1));
    EXPECT_GE(workers.values()[0], 1u);
    EXPECT_LE(workers.values()[0], 8 * rows);
  }
}

}  // namespace
}  // namespace heddle::kernels
