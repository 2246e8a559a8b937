// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise kernels: saxpy and the plain integer operations.
#include <algorithm>
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Elementwise, "elementwise");

// More and fewer elements than threads, and an exact fit.
constexpr int kCounts[] = {0, 1, 31, 160, 1000};

TEST_P(Elementwise, SaxpyIsOneFmaPerElement) {
  for (const Shape& shape : kLineShapes) {
    for (int n : kCounts) {
      SCOPED_TRACE(testing::Message() << shape << ", n = " << n);
      const auto x = random_values<float>(n, 1);
      const auto y = random_values<float>(n, 2);
      Buffer device_x(x), device_y(y);
      launch("saxpy", shape, n, 2.7f, device_x, device_y);
      EXPECT_SAME(device_y, tabulate(n, [&](size_t i) {
                    return i < shape.threads() ? std::fma(2.7f, x[i], y[i]) : y[i];
                  }));
    }
  }
}

TEST_P(Elementwise, SeparateMultiplyAndAddRoundTwice) {
  const int n = 3000;
  const auto x = random_values<float>(n, 3);
  const auto y = random_values<float>(n, 4);
  Buffer device_x(x), device_y(y);
  launch("saxpy_two_roundings", {{12}, {256}}, n, 1.1f, device_x, device_y);
  EXPECT_SAME(device_y, tabulate(n, [&](size_t i) {
                const volatile float product = 1.1f * x[i];
                return product + y[i];
              }));
}

TEST_P(Elementwise, IntegerOperationsWrapAndTruncate) {
  auto a = random_values<int>(1000, 5);
  auto b = random_values<int>(1000, 6);
  const int corners[] = {0, 1, -1, 2, 31, 32, INT32_MAX, INT32_MIN, INT32_MIN + 1};
  size_t next = 0;
  for (int x : corners) {
    for (int y : corners) {
      a[next] = x;
      b[next++] = y;
    }
  }
  std::vector<int> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t x = a[i], y = b[i];
    const uint32_t ux = a[i], uy = b[i];
    const int64_t results[] = {x + y,
                               x - y,
                               ux * uy,
                               y == 0 ? 0 : x / y,
                               y == 0 ? 0 : x % y,
                               uy == 0 ? 0 : ux / uy,
                               uy == 0 ? 0 : ux % uy,
                               (x & y) ^ (x | ~y),
                               ux << (y & 31),
                               x >> (y & 31),
                               ux >> (y & 31),
                               std::min(x, y),
                               std::max(ux, uy),
                               std::abs(x)};
    for (int64_t result : results) expected.push_back(static_cast<int>(result));
  }
  Buffer device_a(a), device_b(b);
  Buffer<int> out(expected.size());
  launch("int_operations", {{9}, {112}}, 1000, device_a, device_b, out);
  EXPECT_SAME(out, expected);
}

}  // namespace
}  // namespace heddle::kernels
