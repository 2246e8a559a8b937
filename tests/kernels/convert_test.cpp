// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions, in range and saturating (PTX ISA 9.7.9.21).
#include <cmath>
#include <limits>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Convert, "convert");

// The integer nearest to an already rounded value in the type's range, `nan` for NaN.
template <class T>
T saturated(long double whole, T nan) {
  if (std::isnan(whole)) return nan;
  if (whole <= static_cast<long double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (whole >= static_cast<long double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(whole);
}
constexpr uint64_t kTopBit = 1ull << 63;

struct FromFloat {
  int32_t nearest, down, up, zero;
  uint32_t unsigned_zero, unsigned_nearest;
  int64_t wide_zero;
  uint64_t wide_unsigned_nearest;
  int16_t narrow;
  uint16_t unsigned_narrow;
  int32_t byte;
  uint32_t unsigned_byte;
};

FromFloat from_float(float v) {
  FromFloat r = {};
  r.nearest = saturated<int32_t>(std::nearbyint(v), 0);
  r.down = saturated<int32_t>(std::floor(v), 0);
  r.up = saturated<int32_t>(std::ceil(v), 0);
  r.zero = saturated<int32_t>(std::trunc(v), 0);
  r.unsigned_zero = saturated<uint32_t>(std::trunc(v), 0);
  r.unsigned_nearest = saturated<uint32_t>(std::nearbyint(v), 0);
  r.wide_zero = saturated<int64_t>(std::trunc(v), int64_t(kTopBit));
  r.wide_unsigned_nearest = saturated<uint64_t>(std::nearbyint(v), kTopBit);
  r.narrow = saturated<int16_t>(std::trunc(v), 0);
  r.unsigned_narrow = saturated<uint16_t>(std::trunc(v), 0);
  r.byte = saturated<int8_t>(std::trunc(v), 0);
  r.unsigned_byte = saturated<uint8_t>(std::trunc(v), 0);
  return r;
}

template <class T>
std::vector<T> interesting_values() {
  std::vector<T> values = {0,
                           T(-0.0),
                           T(0.5),
                           T(-0.5),
                           T(1.5),
                           T(2.5),
                           T(-2.5),
                           T(0.99),
                           T(127.5),
                           T(-128.9),
                           T(255.9),
                           T(32767.5),
                           T(-32769),
                           T(65535.5),
                           T(2147483647.0),
                           T(2147483648.0),
                           T(-2147483648.0),
                           T(-2147483904.0),
                           T(4294967295.0),
                           T(4294967296.0),
                           T(9.2233720368547758e18),
                           T(-9.2233720368547758e18),
                           T(1.8446744073709552e19),
                           T(1e30),
                           T(-1e30),
                           T(1e-40),
                           std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::quiet_NaN()};
  for (T value : random_values<T>(1000, 1)) {
    for (double scale : {3.0, 300.0, 70000.0, 5e9, 2e19}) values.push_back(value * T(scale));
  }
  return values;
}

TEST_P(Convert, FloatToIntegersSaturates) {
  const auto in = interesting_values<float>();
  Buffer device(in);
  Buffer<FromFloat> out(in.size());
  launch("from_float", {{42}, {128}}, device, out, int(in.size()));
  const auto actual = out.values();
  for (size_t i = 0; i < in.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "of " << in[i]);
    const FromFloat e = from_float(in[i]), a = actual[i];
    ASSERT_EQ(a.nearest, e.nearest);
    ASSERT_EQ(a.down, e.down);
    ASSERT_EQ(a.up, e.up);
    ASSERT_EQ(a.zero, e.zero);
    ASSERT_EQ(a.unsigned_zero, e.unsigned_zero);
    ASSERT_EQ(a.unsigned_nearest, e.unsigned_nearest);
    ASSERT_EQ(a.wide_zero, e.wide_zero);
    ASSERT_EQ(a.wide_unsigned_nearest, e.wide_unsigned_nearest);
    ASSERT_EQ(a.narrow, e.narrow);
    ASSERT_EQ(a.unsigned_narrow, e.unsigned_narrow);
    ASSERT_EQ(a.byte, e.byte);
    ASSERT_EQ(a.unsigned_byte, e.unsigned_byte);
  }
}

struct FromDouble {
  int32_t zero;
  uint32_t unsigned_nearest;
  int64_t wide_down;
  uint64_t wide_unsigned_zero;
  float single, single_toward_zero;
};

float toward_zero(double v) {
  const float nearest = static_cast<float>(v);
  if (std::isinf(v) || std::isnan(v)) return canonical_nan(nearest);
  if (std::fabs(double(nearest)) <= std::fabs(v)) return nearest;
  return std::nextafter(nearest, 0.0f);
}

TEST_P(Convert, DoubleToIntegersAndFloat) {
  const auto in = interesting_values<double>();
  Buffer device(in);
  Buffer<FromDouble> out(in.size());
  launch("from_double", {{42}, {128}}, device, out, int(in.size()));
  const auto actual = out.values();
  for (size_t i = 0; i < in.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "of " << in[i]);
    const double v = in[i];
    ASSERT_EQ(actual[i].zero, saturated<int32_t>(std::trunc(v), INT32_MIN));
    ASSERT_EQ(actual[i].unsigned_nearest, saturated<uint32_t>(std::nearbyint(v), 0x80000000u));
    ASSERT_EQ(actual[i].wide_down, saturated<int64_t>(std::floor(v), INT64_MIN));
    ASSERT_EQ(actual[i].wide_unsigned_zero, saturated<uint64_t>(std::trunc(v), kTopBit));
    ASSERT_TRUE(same<float>({actual[i].single, actual[i].single_toward_zero},
                            {canonical_nan(static_cast<float>(v)), toward_zero(v)}));
  }
}

struct FromInteger {
  float s32, u32, s64, u64, u32_up;
  double wide_s32, wide_u64, wide_s64;
  int32_t saturated_s8;
  uint32_t saturated_u16;
};

TEST_P(Convert, IntegersToFloatsAndNarrowerIntegers) {
  auto in = random_values<uint64_t>(1000, 2);
  for (size_t i = 0; i < 640; ++i) in[i] >>= i % 64;
  for (uint64_t corner :
       {0ull, 127ull, 128ull, 0xffffff7full, 0xffffff80ull, 65535ull, 65536ull, 0x7fffffffull,
        0x80000000ull, 0xffffffffull, 0x1000001ull, 0x1000003ull, ~0ull, kTopBit + 0ull,
        kTopBit - 1ull, 0x8000008000000000ull, 0x8000008000000001ull}) {
    in.push_back(corner);
  }
  Buffer device(in);
  Buffer<FromInteger> out(in.size());
  launch("from_integer", {{32}, {33}}, device, out, int(in.size()));
  const auto actual = out.values();
  for (size_t i = 0; i < in.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "of " << in[i]);
    const uint64_t v = in[i];
    const uint32_t low = uint32_t(v);
    const float nearest = static_cast<float>(low);
    const float up = double(nearest) >= low ? nearest : std::nextafter(nearest, INFINITY);
    const FromInteger a = actual[i];
    ASSERT_TRUE(same<float>({a.s32, a.u32, a.s64, a.u64, a.u32_up},
                            {static_cast<float>(int32_t(low)), nearest,
                             static_cast<float>(int64_t(v)), static_cast<float>(v), up}));
    ASSERT_TRUE(same<double>({a.wide_s32, a.wide_u64, a.wide_s64},
                             {static_cast<double>(int32_t(low)), static_cast<double>(v),
                              static_cast<double>(int64_t(v))}));
    ASSERT_EQ(a.saturated_s8, saturated<int8_t>(int32_t(low), 0));
    ASSERT_EQ(a.saturated_u16, saturated<uint16_t>(int32_t(low), 0));
  }
}

}  // namespace
}  // namespace heddle::kernels
