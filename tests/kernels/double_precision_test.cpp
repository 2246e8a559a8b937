// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision, bit for bit.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(DoublePrecision, "double_precision");

TEST_P(DoublePrecision, HornerWithFma) {
  const auto coefficients = random_values<double>(13, 1);
  auto x = random_values<double>(500, 2);
  for (double& value : x) value *= 3;
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const int n = std::min<int>(500, shape.threads());
    Buffer device_coefficients(coefficients), device_x(x);
    Buffer<double> out(n);
    launch("horner", shape, device_coefficients, 12, device_x, out, n);
    EXPECT_SAME(out, tabulate(n, [&](size_t i) {
                  double sum = coefficients[12];
                  for (int k = 11; k >= 0; --k) sum = std::fma(sum, x[i], coefficients[k]);
                  return sum;
                }));
  }
}

struct Double2 {
  double x, y;
};

TEST_P(DoublePrecision, DivisionAndSquareRoot) {
  const int n = 1000;
  const auto a = random_values<double>(n, 3), b = random_values<double>(n, 4),
             c = random_values<double>(n, 5);
  Buffer device_a(a), device_b(b), device_c(c);
  Buffer<Double2> roots(n);
  launch("quadratic_roots", {{8}, {125}}, device_a, device_b, device_c, roots, n);
  EXPECT_SAME(roots, tabulate(n, [&](size_t i) {
                const double discriminant = b[i] * b[i] - 4.0 * a[i] * c[i];
                if (discriminant < 0) return Double2{0, 0};
                const double root = std::sqrt(discriminant);
                const double q = b[i] < 0 ? (root - b[i]) / 2.0 : -(b[i] + root) / 2.0;
                return Double2{q / a[i], c[i] / q};
              }));
}

TEST_P(DoublePrecision, CompensatedSumsAreNotReassociated) {
  const int rows = 40, columns = 100;
  auto values = random_values<float>(rows * columns, 6);
  for (size_t i = 0; i < values.size(); i += 3) values[i] *= 1e6f;
  Buffer device(values);
  Buffer<float> kahan(rows), wide(rows);
  launch("kahan_sums", {{2}, {33}}, device, rows, columns, kahan, wide);
  EXPECT_SAME(kahan, tabulate(rows, [&](size_t row) {
                float sum = 0, lost = 0;
                for (int k = 0; k < columns; ++k) {
                  const float y = values[row * columns + k] - lost;
                  const float t = sum + y;
                  lost = (t - sum) - y;
                  sum = t;
                }
                return sum;
              }));
  EXPECT_SAME(wide, tabulate(rows, [&](size_t row) {
                double sum = 0;
                for (int k = 0; k < columns; ++k) sum += values[row * columns + k];
                return static_cast<float>(sum);
              }));
}

}  // namespace
}  // namespace heddle::kernels
