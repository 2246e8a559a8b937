// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(TensorCore, "tensor_core");

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

TEST_P(TensorCore, Halves) {
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

TEST_P(TensorCore, Bytes) {
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
