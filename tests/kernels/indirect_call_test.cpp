// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indirect calls with uniform and with divergent targets.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(IndirectCall, "indirect_call");

int apply(unsigned which, int a, int b) {
  switch (which) {
    case 0:
      return static_cast<int>(uint32_t(a) + uint32_t(b));
    case 1:
      return static_cast<int>(uint32_t(a) - uint32_t(b));
    case 2:
      return static_cast<int>(uint32_t(a) * uint32_t(b));
    default:
      return std::max(a, b);
  }
}

TEST_P(IndirectCall, ADifferentFunctionInEachLane) {
  const int n = 300;
  const auto which = random_values<int>(n, 1);
  const auto a = random_values<int>(n, 2), b = random_values<int>(n, 3);
  for (const Shape& shape : {Shape{{1}, {300}}, Shape{{10}, {32}}, Shape{{25}, {13}}}) {
    SCOPED_TRACE(shape);
    Buffer device_which(which), device_a(a), device_b(b);
    Buffer<int> out(n);
    launch("apply_operations", shape, device_which, device_a, device_b, out, n);
    EXPECT_SAME(out, tabulate(n, [&](size_t i) { return apply(which[i] & 3, a[i], b[i]); }));
  }
}

TEST_P(IndirectCall, AFunctionPassedAsArgument) {
  const auto values = random_values<int>(9, 4);
  Buffer device(values);
  Buffer<int> out(6 * 40);
  launch("fold_with", {{6}, {40}}, device, int(values.size()), out);
  EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                int sum = i % 40;
                for (int value : values) sum = apply(i / 40 & 3, sum, value);
                return sum;
              }));
}

TEST_P(IndirectCall, VirtualFunctions) {
  Buffer<int> out(3 * 47);
  launch("count_all_legs", {{3}, {47}}, out);
  EXPECT_SAME(
      out, tabulate(out.size(), [](size_t i) { return int(i % 3 == 0 ? 8 * i - i % 5 : 2 * i); }));
}

}  // namespace
}  // namespace heddle::kernels
