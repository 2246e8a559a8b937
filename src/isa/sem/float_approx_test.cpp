// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximate functions stay within the errors that the manual states (PTX ISA 9.7.3.8, .13 to
// .22, 9.7.4.9, .10), measured against f64 functions of the C++ library on a dense sweep of all
// exponents.

#include "isa/sem/float_approx.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "isa/sem/half_approx.h"

namespace heddle::sem {
namespace {

/// Every f32 whose bits are a multiple of a prime, without NaN. (All of them: `./x conformance`.)
void sweep(u32 first, u32 last, const std::function<void(f32)>& visit, u32 step = 4001) {
  for (u64 bits = first; bits <= last; bits += step) visit(as_f32(static_cast<u32>(bits)));
}
void sweep_both_signs(f32 largest, const std::function<void(f32)>& visit, u32 step = 4001) {
  sweep(0, bits_of(largest), visit, step);
  sweep(0x80000000, bits_of(-largest), visit, step);
}

/// |got - want| in units of the last place of `want` as an f32.
f64 ulps(f32 got, f64 want) {
  const f32 rounded = static_cast<f32>(want);
  if (std::isinf(rounded)) return got == rounded ? 0 : 1e9;
  const f64 unit = std::ldexp(1.0, std::max(std::ilogb(want == 0 ? 1e-45 : want), -126) - 23);
  return std::abs(f64{got} - want) / unit;
}
f64 relative(f64 got, f64 want) { return std::abs(got - want) / std::abs(want); }

constexpr f32 kMax = as_f32(0x7f7fffff);
constexpr u32 kFirstNormal = 0x00800000;

TEST(Approx, Reciprocal) {
  f64 worst = 0;
  sweep_both_signs(kMax, [&](f32 x) {
    worst = std::max(worst, x == 0 ? 0 : ulps(rcp_approx<false>(x), 1 / f64{x}));
  });
  EXPECT_LE(worst, 1);
}

TEST(Approx, SquareRoots) {
  f64 root = 0, reciprocal = 0;
  sweep(1, bits_of(kMax), [&](f32 x) {
    root = std::max(root, relative(sqrt_approx<false>(x), std::sqrt(f64{x})));
    reciprocal = std::max(reciprocal, relative(rsqrt_approx<false>(x), 1 / std::sqrt(f64{x})));
  });
  EXPECT_LE(root, std::exp2(-23));
  EXPECT_LE(reciprocal, std::exp2(-22.9));
}

TEST(Approx, Logarithm) {
  f64 inside = 0, outside = 0;
  sweep(
      1, bits_of(kMax),
      [&](f32 x) {
        const f64 want = std::log2(f64{x});
        const f32 got = lg2_approx<false>(x);
        if (x > 0.5f && x < 2)
          inside = std::max(inside, std::abs(got - want));
        else
          outside = std::max(outside, relative(got, want));
      },
      503);
  EXPECT_LE(inside, std::exp2(-22));
  EXPECT_LE(outside, std::exp2(-22));
}

TEST(Approx, Exponential) {
  f64 worst = 0;
  const auto check = [&](f32 x) {
    worst = std::max(worst, ulps(ex2_approx<false>(x), std::exp2(f64{x})));
  };
  sweep_both_signs(200, check, 3203);
  EXPECT_LE(worst, 2);
  worst = 0;
  sweep_both_signs(
      126, [&](f32 x) { worst = std::max(worst, ulps(mufu_ex2<true>(x), std::exp2(f64{x}))); },
      3203);
  EXPECT_LE(worst, 1);
}

TEST(Approx, SineAndCosine) {
  const auto check = [](f32 limit, f64 bound) {
    f64 sine = 0, cosine = 0;
    sweep_both_signs(
        limit,
        [&](f32 x) {
          sine = std::max(sine, std::abs(sin_approx(x) - std::sin(f64{x})));
          cosine = std::max(cosine, std::abs(cos_approx(x) - std::cos(f64{x})));
        },
        6007);
    EXPECT_LE(sine, bound);
    EXPECT_LE(cosine, bound);
  };
  check(static_cast<f32>(2 * std::numbers::pi), std::exp2(-20.5));
  check(static_cast<f32>(100 * std::numbers::pi), std::exp2(-14.7));
  EXPECT_LE(std::abs(sin_approx(1e30f)), 1);
}

TEST(Approx, Tangent) {
  f64 worst = 0;
  sweep(1, bits_of(kMax),
        [&](f32 x) { worst = std::max(worst, relative(tanh_approx(x), std::tanh(f64{x}))); });
  EXPECT_LE(worst, std::exp2(-17));  // the manual allows 2^-11
}

TEST(Approx, Division) {
  std::mt19937 random(4);
  f64 approx = 0, full = 0;
  for (int i = 0; i < 500'000; ++i) {
    const f32 a = as_f32(random()), b = as_f32(random());
    if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) continue;
    const f64 want = f64{a} / f64{b};
    if (std::abs(want) < f64{kMinNormal} || std::abs(want) > f64{kMax}) continue;
    full = std::max(full, ulps(div_full<false>(a, b), want));
    if (absolute(b) >= kMinNormal && absolute(b) <= kHuge) {
      approx = std::max(approx, ulps(div_approx<false>(a, b), want));
    }
  }
  EXPECT_LE(approx, 2);
  EXPECT_LE(full, 2);
}

TEST(Approx, HighWordsOfF64) {
  std::mt19937_64 random(4);
  f64 reciprocal = 0, root = 0;
  for (int i = 0; i < 200'000; ++i) {
    const f64 x = as_f64(random() & 0x7fffffff00000000);
    if (!std::isnormal(x) || x > 1e307) continue;
    reciprocal = std::max(reciprocal, relative(rcp_approx_f64(x), 1 / x));
    root = std::max(root, relative(rsqrt_approx_ftz_f64(x), 1 / std::sqrt(x)));
  }
  EXPECT_LE(reciprocal, std::exp2(-20));
  EXPECT_LE(root, std::exp2(-20));
}

template <class T>
void check_halves(f64 tanh_bound, f64 ex2_bound) {
  for (u32 bits = 0; bits < 65536; ++bits) {
    const T x{static_cast<u16>(bits)};
    const f64 value = to_f32(x);
    if (!std::isfinite(value)) continue;
    ASSERT_LE(std::abs(to_f32(tanh_half(x)) - std::tanh(value)), tanh_bound) << value;
    const f64 power = std::exp2(value);
    if (power < (std::is_same_v<T, f16> ? 6.2e-5 : 1.2e-38) ||
        power > (std::is_same_v<T, f16> ? 65000 : 3e38))
      continue;
    const f64 got = std::is_same_v<T, f16> ? to_f32(ex2_half(x)) : to_f32(ex2_bf16(x));
    ASSERT_LE(relative(got, power), ex2_bound) << value;
  }
}
TEST(Approx, HalfFunctions) {
  check_halves<f16>(std::exp2(-10.987), std::exp2(-9.9));
  check_halves<bf16>(std::exp2(-8), std::exp2(-7));
}

// `.ftz` is the bare unit: subnormal in, zero in; never a subnormal out.
TEST(Approx, FlushesWithFtz) {
  sweep(1, kFirstNormal - 1, [](f32 x) {
    ASSERT_EQ(bits_of(rcp_approx<true>(-x)), 0xff800000u);
    ASSERT_EQ(bits_of(sqrt_approx<true>(-x)), 0x80000000u);
    ASSERT_EQ(bits_of(lg2_approx<true>(x)), 0xff800000u);
    ASSERT_EQ(ex2_approx<true>(x), 1);
  });
  sweep_both_signs(kMax, [](f32 x) {
    for (const f32 y :
         {rcp_approx<true>(x), ex2_approx<true>(x), div_approx<true>(1, x), div_full<true>(1, x)}) {
      ASSERT_TRUE(y == 0 || absolute(y) >= kMinNormal || std::isnan(y)) << x;
    }
  });
}

}  // namespace
}  // namespace heddle::sem
