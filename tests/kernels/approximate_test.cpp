// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Approximate functions within the error bounds of the manual (PTX ISA 9.7.3), and exact where the
// manual lists special values.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Approximate, "approximate");

void expect_relative(double actual, double expected, double bound, const char* what) {
  EXPECT_LE(std::fabs(actual - expected), bound * std::fabs(expected))
      << what << ": " << actual << " for " << expected;
}
void expect_absolute(double actual, double expected, double bound, const char* what) {
  EXPECT_LE(std::fabs(actual - expected), bound) << what << ": " << actual << " for " << expected;
}

TEST_P(Approximate, WithinTheDocumentedErrors) {
  auto in = random_values<float>(1000, 1);
  for (float& x : in) x *= 3.14f;
  Buffer device(in);
  Buffer<float> out(8 * in.size());
  launch("approximate_functions", {{8}, {125}}, device, out, int(in.size()));
  const auto results = out.values();
  for (size_t i = 0; i < in.size(); ++i) {
    SCOPED_TRACE(in[i]);
    const double x = in[i], magnitude = std::fabs(x);
    const float* r = &results[8 * i];
    expect_relative(r[0], 1 / std::sqrt(magnitude), 0x1.12p-23, "rsqrt");
    expect_relative(r[1], std::sqrt(magnitude), 0x1p-23, "sqrt");
    expect_relative(r[2], 1 / x, 0x1p-23, "rcp");
    expect_relative(r[3], std::exp2(x), 0x1p-22, "ex2");
    if (magnitude < 0.5 || magnitude > 2) {
      expect_relative(r[4], std::log2(magnitude), 0x1p-22, "lg2");
    } else {
      expect_absolute(r[4], std::log2(magnitude), 0x1p-22, "lg2");
    }
    expect_absolute(r[5], std::sin(x), 0x1.6ap-21, "sin");
    expect_absolute(r[6], std::cos(x), 0x1.6ap-21, "cos");
    expect_relative(r[7], std::tanh(x), 0x1p-11, "tanh");
  }
}

TEST_P(Approximate, SpecialValues) {
  const float inf = INFINITY;
  const std::vector<float> in = {0.0f, -0.0f, inf, -inf};
  Buffer device(in);
  Buffer<float> out(8 * in.size());
  launch("approximate_functions", {{1}, {32}}, device, out, int(in.size()));
  const float nan = canonical_nan(NAN);
  EXPECT_SAME(out, {inf, 0,   inf,   1,   -inf, 0.0f,  1,   0.0f,   //
                    inf, 0,   -inf,  1,   -inf, -0.0f, 1,   -0.0f,  //
                    0,   inf, 0,     inf, inf,  nan,   nan, 1,      //
                    0,   inf, -0.0f, 0,   inf,  nan,   nan, -1});
}

TEST_P(Approximate, Division) {
  const int n = 500;
  const auto a = random_values<float>(n, 2), b = random_values<float>(n, 3);
  Buffer device_a(a), device_b(b);
  Buffer<float> out(2 * n);
  launch("approximate_division", {{4}, {125}}, device_a, device_b, out, n);
  const auto results = out.values();
  for (int i = 0; i < n; ++i) {
    const double quotient = double(a[i]) / b[i];
    expect_relative(results[2 * i], quotient, 0x1p-22, "div.approx");
    expect_relative(results[2 * i + 1], quotient, 0x1p-22, "div.full");
  }
}

}  // namespace
}  // namespace heddle::kernels
