// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Multimem, "multimem");

TEST_P(Multimem, OneReplica) {
  const auto values = random_values<uint32_t>(32, 1);
  Buffer device(values);
  Buffer<uint32_t> out(64);
  launch("reduce_replicas", {{1}, {32}}, device, out);
  EXPECT_SAME(out, tabulate(64, [&](size_t i) {
                const uint32_t value = values[i % 32] + 1;
                return i < 32 ? value : 2 * value;
              }));
}

TEST_P(Multimem, Vectors) {
  const auto values = random_values<float>(128, 2);
  Buffer device(values);
  Buffer<float> out(128);
  launch("reduce_vectors", {{1}, {32}}, device, out);
  EXPECT_SAME(out, values);
  EXPECT_SAME(device, tabulate(128, [&](size_t i) { return values[i] + values[i]; }));
}

}  // namespace
}  // namespace heddle::kernels
