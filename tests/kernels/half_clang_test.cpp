// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's _Float16 operators on multiples of a quarter, where every result is exact in half.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(HalfClang, "half_clang");

// The bits of the half nearest to a value that a half holds exactly.
uint16_t half_bits(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);
  return (value < 0 ? 0x8000 : 0) |
         uint16_t(((exponent + 14) << 10) + int(std::ldexp(fraction, 11)) - 1024);
}

constexpr int kCount = 65;
float grid_point(size_t i) { return (float(i) - 32) / 4; }  // -8, -7.75, ... 8

TEST_P(HalfClang, PolynomialOnAGridIsExact) {
  const auto points =
      tabulate(kCount, [](size_t i) { return grid_point(24 + i % 17); });  // -2 to 2
  Buffer x(tabulate(kCount, [&](size_t i) { return half_bits(points[i]); }));
  Buffer<uint16_t> out(kCount);
  launch("float16_polynomial", {{3}, {32}}, x, out, kCount);
  EXPECT_SAME(out, tabulate(kCount, [&](size_t i) {
                const float v = points[i];
                return half_bits((v * v + 0.5f) * v - 2.0f);
              }));
}

TEST_P(HalfClang, Comparisons) {
  const auto x = tabulate(kCount, [](size_t i) { return grid_point(i); });
  const auto y = tabulate(kCount, [](size_t i) { return grid_point(i * 7 % kCount); });
  const auto bits = [](const std::vector<float>& v) {
    return tabulate(v.size(), [&](size_t i) { return half_bits(v[i]); });
  };
  Buffer device_x(bits(x)), device_y(bits(y));
  Buffer<int> out(kCount);
  launch("float16_compare", {{1}, {96}}, device_x, device_y, out, kCount);
  EXPECT_SAME(out, tabulate(kCount, [&](size_t i) {
                return (x[i] < y[i]) | (x[i] == y[i]) << 1 | (x[i] >= y[i]) << 2 |
                       (x[i] != y[i]) << 3;
              }));
}

TEST_P(HalfClang, IntegersUpTo2048AreExact) {
  const auto in = tabulate(400, [](size_t i) { return int(i) * 10 - 1990; });
  Buffer device(in);
  Buffer<uint16_t> out(in.size());
  Buffer<int> back(in.size());
  launch("float16_from_integers", {{4}, {128}}, device, out, back, int(in.size()));
  EXPECT_SAME(out, tabulate(in.size(), [&](size_t i) { return half_bits(float(in[i])); }));
  EXPECT_SAME(back, in);
}

}  // namespace
}  // namespace heddle::kernels
