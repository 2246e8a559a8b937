// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive device functions.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Recursion, "recursion");

struct Pair {
  uint32_t x, y;
};

TEST_P(Recursion, FibonacciWithADifferentDepthInEachLane) {
  const auto n = tabulate(150, [](size_t i) { return uint32_t(i * 5 % 14); });
  std::vector<uint32_t> fibonacci = {0, 1};
  while (fibonacci.size() < 14) fibonacci.push_back(fibonacci.end()[-1] + fibonacci.end()[-2]);
  for (const Shape& shape : {Shape{{150}, {1}}, Shape{{5}, {32}}, Shape{{3}, {50}}}) {
    SCOPED_TRACE(shape);
    Buffer device(n);
    Buffer<uint32_t> out(n.size());
    launch("fibonacci_each", shape, device, out, int(n.size()));
    EXPECT_SAME(out, tabulate(n.size(), [&](size_t i) { return fibonacci[n[i]]; }));
  }
}

uint32_t ackermann(uint32_t m, uint32_t n, uint32_t& calls) {
  ++calls;
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1, calls);
  return ackermann(m - 1, ackermann(m, n - 1, calls), calls);
}

TEST_P(Recursion, AckermannNestsCallsInArguments) {
  const auto arguments =
      tabulate(40, [](size_t i) { return Pair{uint32_t(i % 3), uint32_t(i % 5)}; });
  Buffer device(arguments);
  Buffer<Pair> out(arguments.size());
  launch("ackermann_each", {{2}, {20}}, device, out, int(arguments.size()));
  EXPECT_SAME(out, tabulate(arguments.size(), [&](size_t i) {
                uint32_t calls = 0;
                const uint32_t value = ackermann(arguments[i].x, arguments[i].y, calls);
                return Pair{value, calls};
              }));
}

int alternating_sum(const std::vector<int>& tree, size_t node, int sign) {
  if (node >= tree.size()) return 0;
  return sign * tree[node] + alternating_sum(tree, 2 * node + 1, -sign) +
         alternating_sum(tree, 2 * node + 2, -sign);
}

TEST_P(Recursion, MutualRecursionOverATree) {
  auto tree = random_values<int>(100, 1);
  for (int& value : tree) value %= 1000;
  Buffer device(tree);
  Buffer<int> out(tree.size());
  launch("alternating_tree_sum", {{4}, {32}}, device, int(tree.size()), out);
  EXPECT_SAME(out, tabulate(tree.size(), [&](size_t i) { return alternating_sum(tree, i, 1); }));
}

TEST_P(Recursion, QuicksortPerThread) {
  const int length = 23, count = 70;
  const auto values = random_values<int>(length * count, 2);
  for (const Shape& shape : {Shape{{1}, {70}}, Shape{{3}, {32}}}) {
    SCOPED_TRACE(shape);
    Buffer device(values);
    launch("quicksort_each", shape, device, length, count);
    auto expected = values;
    for (int i = 0; i < count; ++i) {
      std::sort(expected.begin() + i * length, expected.begin() + (i + 1) * length);
    }
    EXPECT_SAME(device, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
