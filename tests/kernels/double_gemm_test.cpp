// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of doubles.
#include <fmt/format.h>

#include <cmath>

#include "harness/matrices.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(DoubleGemm, "double_gemm");

TEST_P(DoubleGemm, ScaledIntegers) {
  constexpr int kSizes[][3] = {{32, 32, 16}, {70, 40, 50}, {1, 33, 3}, {33, 1, 17}};
  for (const auto& [m, n, k] : kSizes) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", m, n, k));
    const Matrix a = integers(m, k, -1000000, 1000000, 1), b = integers(k, n, -1000, 1000, 2),
                 c = integers(m, n, -100, 100, 3), sums = product(a, b);
    Buffer device_a(a.elements), device_b(b.elements), d(c.elements);
    launch("gemm_f64", {{unsigned(n + 31) / 32, unsigned(m + 31) / 32}, {128}}, device_a, device_b,
           d, m, n, k, 0.5, -3.0);
    EXPECT_SAME(d, tabulate(d.size(),
                            [&](size_t i) { return 0.5 * sums.elements[i] - 3 * c.elements[i]; }));
  }
}

// mma adds the products in ascending k, each by one fma.
TEST_P(DoubleGemm, Fractions) {
  const int m = 40, n = 36, k = 50;
  const Matrix a{m, k, random_values<double>(m * k, 1)}, b{k, n, random_values<double>(k * n, 2)};
  Buffer device_a(a.elements), device_b(b.elements);
  Buffer<double> d(m * n);
  launch("gemm_f64", {{2, 2}, {128}}, device_a, device_b, d, m, n, k, 1.0, 0.0);
  EXPECT_SAME(d, tabulated(m, n, [&](int row, int column) {
                   double sum = 0;
                   for (int i = 0; i < k; ++i) sum = std::fma(a(row, i), b(i, column), sum);
                   return sum;
                 }).elements);
}

}  // namespace
}  // namespace heddle::kernels
