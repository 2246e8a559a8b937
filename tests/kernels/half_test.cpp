// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision against the host's float: products and sums of halves are exact in double, so one
// rounding to half gives the correctly rounded result.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Half, "half");

double value_of(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const double sign = half & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// Rounds to the nearest half, ties to even (or toward zero). NaN becomes 0x7fff, as on the device.
uint16_t rounded(double value, bool to_zero = false) {
  if (std::isnan(value)) return 0x7fff;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | 0x7c00;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 11, -24);  // the exponent of the last place
  const double scaled = std::ldexp(magnitude, -unit);
  const double whole = to_zero ? std::trunc(scaled) : std::nearbyint(scaled);
  const double result = std::ldexp(whole, unit);
  if (result >= 65536.0) return sign | (to_zero ? 0x7bff : 0x7c00);
  if (result < std::ldexp(1, -14)) return sign | uint16_t(std::ldexp(result, 24));
  std::frexp(result, &exponent);
  return sign | uint16_t(((exponent + 14) << 10) + (int(std::ldexp(result, 11 - exponent)) - 1024));
}

std::vector<uint16_t> halves(size_t count, uint64_t seed) {
  auto values = random_values<uint16_t>(count, seed);
  const uint16_t corners[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,
                              0x3c00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01};
  for (size_t i = 0; i < 144 && i < count; ++i) values[i] = corners[seed == 1 ? i / 12 : i % 12];
  return values;
}

TEST_P(Half, AddMulFmaRoundOnce) {
  const int n = 5000;
  const auto a = halves(n, 1), b = halves(n, 2), c = halves(n, 3);
  std::vector<uint16_t> expected;
  for (int i = 0; i < n; ++i) {
    const double x = value_of(a[i]), y = value_of(b[i]), z = value_of(c[i]);
    expected.push_back(rounded(x + y));
    expected.push_back(rounded(x * y));
    // x * y has 22 bits and z lies within 80 binary places of it: exact in 80-bit arithmetic, or
    // z is far below half an ulp and only its sign matters.
    expected.push_back([&] {
      const long double sum = static_cast<long double>(x) * y + z;
      const double nearest = static_cast<double>(sum);
      // Round to odd before the second rounding.
      const double toward =
          nearest == sum ? nearest : std::nextafter(nearest, sum < nearest ? -INFINITY : INFINITY);
      uint64_t bits;
      std::memcpy(&bits, &nearest, 8);
      return rounded(nearest == sum || bits & 1 ? nearest : toward);
    }());
    expected.push_back(rounded(double(float(x) * 3.0f)));
  }
  Buffer device_a(a), device_b(b), device_c(c);
  Buffer<uint16_t> out(expected.size());
  launch("half_operations", {{27}, {200}}, device_a, device_b, device_c, out, n);
  EXPECT_SAME(out, expected);
}

TEST_P(Half, EveryHalfToFloat) {
  Buffer<float> out(65536);
  launch("half_to_float", {{64}, {1024}}, out);
  EXPECT_SAME(out, tabulate(65536, [](size_t i) {
                return canonical_nan(static_cast<float>(value_of(uint16_t(i))));
              }));
}

TEST_P(Half, FloatToHalfNearestAndTruncated) {
  std::vector<float> in = {0.0f,     -0.0f,      65504.0f,   65519.99f,    65520.0f,
                           65536.0f, -70000.0f,  INFINITY,   -INFINITY,    NAN,
                           0x1p-24f, 0x1p-25f,   0x1.8p-25f, -0x1p-26f,    0x1p-14f,
                           1e-40f,   0x1.002p0f, 0x1.006p0f, 0x1.001ffep0f};
  for (float value : random_values<float>(4000, 7)) {
    in.push_back(value);
    in.push_back(value * 0x1p-14f);
    in.push_back(value * 70000.0f);
  }
  Buffer device(in);
  Buffer<uint16_t> nearest(in.size()), truncated(in.size());
  launch("float_to_half", {{60}, {256}}, device, nearest, truncated, int(in.size()));
  EXPECT_SAME(nearest, tabulate(in.size(), [&](size_t i) { return rounded(in[i]); }));
  EXPECT_SAME(truncated, tabulate(in.size(), [&](size_t i) { return rounded(in[i], true); }));
}

TEST_P(Half, PackedFmaKeepsHalvesApart) {
  const int n = 333;
  const auto x = halves(2 * n, 4), y = halves(2 * n, 5);
  const auto packed = [](const std::vector<uint16_t>& halves) {
    return tabulate(halves.size() / 2,
                    [&](size_t i) { return halves[2 * i] | uint32_t(halves[2 * i + 1]) << 16; });
  };
  const uint16_t low = 0x3e00, high = 0xc000;  // 1.5 and -2
  Buffer device_x(packed(x)), device_y(packed(y));
  launch("half2_axpy", {{4}, {96}}, low | uint32_t(high) << 16, device_x, device_y, n);
  EXPECT_SAME(device_y, packed(tabulate(2 * n, [&](size_t i) {
                // Multiplying by 1.5 or 2 leaves at most 13 bits, so the sum is exact in double.
                return rounded(value_of(x[i]) * value_of(i % 2 ? high : low) + value_of(y[i]));
              })));
}

}  // namespace
}  // namespace heddle::kernels
