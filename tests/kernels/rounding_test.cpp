// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding modes, against the host's floating-point environment.
#include <cfenv>
#include <cmath>
#include <limits>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Rounding, "rounding");

struct Mode {
  const char* name;
  int host;
};
const Mode kModes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};

// Runs f in the mode; the volatile operands keep the compiler from evaluating it elsewhere.
template <class T, class F>
T in_mode(int mode, F f) {
  std::fesetround(mode);
  const volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
std::vector<T> operands(int n, uint64_t seed) {
  auto values = random_values<T>(n, seed);
  const T corners[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(3),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::min(),
                       -std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN()};
  for (int i = 0; i < 100; ++i) values[i] = corners[seed % 2 ? i / 10 : i % 10];
  for (int i = 100; i < 400; ++i)
    values[i] = std::ldexp(values[i], int(seed * 97 + i * 31) % 240 - 120);
  return values;
}

TEST_P(Rounding, SinglePrecisionInAllModes) {
  const int n = 1000;
  const auto a = operands<float>(n, 1), b = operands<float>(n, 2), c = operands<float>(n, 3);
  Buffer device_a(a), device_b(b), device_c(c);
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(mode.name);
    std::vector<float> expected;
    for (int i = 0; i < n; ++i) {
      const volatile float x = a[i], y = b[i], z = c[i];
      for (float result : {in_mode<float>(mode.host, [&] { return x + y; }),
                           in_mode<float>(mode.host, [&] { return x * y; }),
                           in_mode<float>(mode.host, [&] { return x / y; }),
                           in_mode<float>(mode.host, [&] { return std::sqrt(std::fabs(x)); }),
                           in_mode<float>(mode.host, [&] { return 1.0f / y; }),
                           in_mode<float>(mode.host, [&] { return std::fma(x, y, z); })}) {
        expected.push_back(canonical_nan(result));
      }
    }
    Buffer<float> out(expected.size());
    launch(("rounded_" + std::string(mode.name)).c_str(), {{8}, {128}}, device_a, device_b,
           device_c, out, n);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Rounding, DoublePrecisionInAllModes) {
  const int n = 1000;
  const auto a = operands<double>(n, 4), b = operands<double>(n, 5);
  Buffer device_a(a), device_b(b);
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(mode.name);
    std::vector<double> expected;
    for (int i = 0; i < n; ++i) {
      const volatile double x = a[i], y = b[i];
      expected.push_back(in_mode<double>(mode.host, [&] { return x + y; }));
      expected.push_back(in_mode<double>(mode.host, [&] { return x * y; }));
      expected.push_back(in_mode<double>(mode.host, [&] { return x / y; }));
      expected.push_back(in_mode<double>(mode.host, [&] { return std::sqrt(std::fabs(x)); }));
    }
    Buffer<double> out(expected.size());
    launch(("rounded_double_" + std::string(mode.name)).c_str(), {{8}, {128}}, device_a, device_b,
           out, n);
    // A result must be a NaN, but its payload is not specified.
    auto actual = out.values();
    for (size_t i = 0; i < actual.size(); ++i) {
      if (std::isnan(actual[i]) && std::isnan(expected[i])) actual[i] = expected[i];
    }
    EXPECT_SAME(actual, expected);
  }
}

TEST_P(Rounding, ToWholeNumbersAndMinMax) {
  auto in = operands<float>(1000, 7);
  for (float& value : in) value *= 10;
  Buffer device(in);
  std::vector<float> expected;
  for (float v : in) {
    for (float result :
         {std::floor(v), std::ceil(v), std::trunc(v), std::fmin(v, 0.5f), std::fmax(v, -0.5f)}) {
      expected.push_back(canonical_nan(result));
    }
  }
  Buffer<float> out(expected.size());
  launch("whole_numbers", {{10}, {100}}, device, out, 1000);
  auto actual = out.values();
  for (float& value : actual) value = canonical_nan(value);  // the payload is not specified
  EXPECT_SAME(actual, expected);
}

}  // namespace
}  // namespace heddle::kernels
