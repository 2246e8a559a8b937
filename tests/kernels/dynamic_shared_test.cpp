// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory of sizes from 0 to more than the 48 KiB that need no opt-in.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(DynamicShared, "dynamic_shared");

TEST_P(DynamicShared, CarvedIntoArraysOfSeveralTypes) {
  for (int n : {1, 40, 1001}) {
    for (unsigned block : {32u, 100u}) {
      const Shape shape = {{3}, {block}, unsigned(n) * 13};
      SCOPED_TRACE(testing::Message() << shape << ", n = " << n);
      const auto d = random_values<double>(3 * n, 1);
      const auto k = random_values<int>(3 * n, 2);
      const auto c = random_values<signed char>(3 * n, 3);
      Buffer device_d(d);
      Buffer device_k(k);
      Buffer device_c(c);
      Buffer<double> out(3 * n);
      launch("carve", shape, device_d, device_k, device_c, out, n);
      EXPECT_SAME(out, tabulate(3 * n, [&](size_t index) {
                    const size_t block = index / n, base = block * n, i = index % n;
                    return d[base + (i + block + 1) % n] + k[base + n - 1 - i] +
                           c[base + i * 3 % n];
                  }));
    }
  }
}

TEST_P(DynamicShared, TheWholeAmountCanBeUsed) {
  for (unsigned bytes : {0u, 4u, 1000u, 49152u, 65536u}) {
    SCOPED_TRACE(bytes);
    Buffer<uint32_t> checksum(2);
    launch("fill_all", {{2}, {64}, bytes}, checksum);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bytes / 4; ++i) sum = sum * 31 + i * 2654435761u;
    EXPECT_SAME(checksum, {sum, sum});
  }
}

}  // namespace
}  // namespace heddle::kernels
