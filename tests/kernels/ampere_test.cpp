// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sm_80 instructions.
#include <algorithm>
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Ampere, "ampere");

TEST_P(Ampere, Redux) {
  for (const Shape& shape : kWarpShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<uint32_t>(shape.threads(), 1);
    std::vector<uint32_t> expected;
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t add = 0, max = 0, all = ~0u, any = 0, parity = 0;
      int32_t min = INT32_MAX;
      for (size_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
        add += values[j];
        min = std::min(min, int32_t(values[j]));
        max = std::max(max, values[j]);
        all &= values[j];
        any |= values[j];
        parity ^= values[j];
      }
      expected.insert(expected.end(), {add, uint32_t(min), max, all, any, parity});
    }
    Buffer device(values);
    Buffer<uint32_t> out(expected.size());
    launch("warp_redux", shape, device, out);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Ampere, AsynchronousCopies) {
  for (unsigned block : {1u, 32u, 100u, 256u}) {
    SCOPED_TRACE(block);
    const auto words = random_values<uint32_t>(3 * 2 * block * 4, 2);
    Buffer device(words);
    Buffer<uint32_t> out(words.size());
    launch("async_copy", {{3}, {block}}, device, out);
    EXPECT_SAME(out, tabulate(words.size(), [&](size_t i) {
                  const size_t half = i / 4 / block, thread = block - 1 - i / 4 % block;
                  const bool copied = thread != block - 1 || i % 4 == 0;
                  return copied ? words[(half * block + thread) * 4 + i % 4] : 0;
                }));
  }
}

// The half nearest to a small whole number, exactly.
uint16_t half_bits(int value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  return (value < 0 ? 0x8000 : 0) | uint16_t(((exponent + 14) << 10) + int(fraction * 2048) - 1024);
}

std::vector<int> small_numbers(size_t count, uint64_t seed, int bound) {
  Random random(seed);
  return tabulate(count, [&](size_t) { return int(random.below(2 * bound + 1)) - bound; });
}

// a is 16 x k row major, b is k x 8 column major.
std::vector<int> product(const std::vector<int>& a, const std::vector<int>& b, std::vector<int> c,
                         int k) {
  for (int i = 0; i < 16 * 8; ++i) {
    for (int j = 0; j < k; ++j) c[i] += a[i / 8 * k + j] * b[i % 8 * k + j];
  }
  return c;
}

TEST_P(Ampere, TensorCoreHalves) {
  const auto a = small_numbers(16 * 16, 3, 50), b = small_numbers(16 * 8, 4, 50),
             c = small_numbers(16 * 8, 5, 1000);
  const auto halves = [](const std::vector<int>& v) {
    return tabulate(v.size(), [&](size_t i) { return half_bits(v[i]); });
  };
  const auto floats = [](const std::vector<int>& v) {
    return tabulate(v.size(), [&](size_t i) { return float(v[i]); });
  };
  Buffer device_a(halves(a)), device_b(halves(b));
  Buffer device_c(floats(c)), d(floats(c));
  launch("mma_f16", {{1}, {32}}, device_a, device_b, device_c, d);
  EXPECT_SAME(d, floats(product(a, b, c, 16)));
}

TEST_P(Ampere, TensorCoreBytes) {
  const auto a = small_numbers(16 * 32, 6, 127), b = small_numbers(32 * 8, 7, 127),
             c = small_numbers(16 * 8, 8, 1 << 20);
  const auto bytes = [](const std::vector<int>& v) {
    return tabulate(v.size(), [&](size_t i) { return int8_t(v[i]); });
  };
  Buffer device_a(bytes(a)), device_b(bytes(b));
  Buffer device_c(c);
  Buffer<int> d(c.size());
  launch("mma_s8", {{1}, {32}}, device_a, device_b, device_c, d);
  EXPECT_SAME(d, product(a, b, c, 32));
}

}  // namespace
}  // namespace heddle::kernels
