// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FFT: bit for bit against the same butterflies on the host, and close to the defining sum.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Fft, "fft");

struct Point {
  float x, y;
};

std::vector<Point> twiddles(int n) {
  return tabulate(n / 2, [&](size_t k) {
    const auto w = std::polar(1.0, -2 * std::numbers::pi * double(k) / n);
    return Point{float(w.real()), float(w.imag())};
  });
}

std::vector<Point> butterflies(const Point* in, int n) {
  const int bits = std::countr_zero(unsigned(n));
  std::vector<Point> points(n);
  for (int i = 0; i < n; ++i) {
    int reversed = 0;
    for (int bit = 0; bit < bits; ++bit) reversed |= (i >> bit & 1) << (bits - 1 - bit);
    points[reversed] = in[i];
  }
  const auto table = twiddles(n);
  for (int half = 1; half < n; half *= 2) {
    for (int thread = 0; thread < n / 2; ++thread) {
      const int low = thread / half * half * 2 + thread % half;
      const Point w = table[thread % half * (n / 2 / half)], a = points[low],
                  b = points[low + half];
      const Point product = {b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x};
      points[low] = {a.x + product.x, a.y + product.y};
      points[low + half] = {a.x - product.x, a.y - product.y};
    }
  }
  return points;
}

TEST_P(Fft, BlocksOfEveryPowerOfTwo) {
  for (unsigned n = 2; n <= 2048; n *= 4) {
    SCOPED_TRACE(n);
    const auto numbers = random_values<float>(2 * 3 * n, n);
    const auto in =
        tabulate(3 * n, [&](size_t i) { return Point{numbers[2 * i], numbers[2 * i + 1]}; });
    Buffer device(in), table(twiddles(n));
    Buffer<Point> out(in.size());
    launch("fft", {{3}, {n / 2}, n * 8}, device, out, table, int(n));
    std::vector<Point> expected;
    for (unsigned block = 0; block < 3; ++block) {
      const auto points = butterflies(&in[block * n], n);
      expected.insert(expected.end(), points.begin(), points.end());
    }
    EXPECT_SAME(out, expected);

    // The butterflies themselves are right: frequency 1 by the definition.
    std::complex<double> sum = 0;
    for (unsigned i = 0; i < n; ++i) {
      sum +=
          std::complex<double>(in[i].x, in[i].y) * std::polar(1.0, -2 * std::numbers::pi * i / n);
    }
    EXPECT_NEAR(expected[1].x, sum.real(), 1e-3);
    EXPECT_NEAR(expected[1].y, sum.imag(), 1e-3);
  }
}

}  // namespace
}  // namespace heddle::kernels
