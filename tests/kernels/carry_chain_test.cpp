// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carry chains against the host's 128-bit integers.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(CarryChain, "carry_chain");

using u128 = unsigned __int128;

// Limbs of random bits, with many all-ones and zero limbs so that carries travel far.
std::vector<uint32_t> limbs(size_t count, uint64_t seed) {
  Random random(seed);
  return tabulate(count, [&](size_t) {
    const uint32_t bits = static_cast<uint32_t>(random.next());
    switch (random.below(4)) {
      case 0:
        return 0xffffffffu;
      case 1:
        return 0u;
      default:
        return bits;
    }
  });
}

constexpr int kCount = 300;
constexpr Shape kShape = {{5}, {70}};

u128 wide(const uint32_t* limbs, int count) {
  u128 value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 32 | limbs[i];
  return value;
}

TEST_P(CarryChain, CompilersOwn128BitIntegers) {
  const auto a = limbs(kCount * 4, 1), b = limbs(kCount * 4, 2);
  std::vector<uint32_t> expected;
  for (int i = 0; i < kCount; ++i) {
    const u128 x = wide(&a[i * 4], 4), y = wide(&b[i * 4], 4);
    const unsigned shift = static_cast<unsigned>(y & 127);
    for (u128 result : {x + y, x - y, x * y, x << shift, u128(static_cast<__int128>(x) >> shift)}) {
      for (int limb = 0; limb < 4; ++limb) expected.push_back(uint32_t(result >> 32 * limb));
    }
  }
  Buffer device_a(a), device_b(b);
  Buffer<uint32_t> out(expected.size());
  launch("int128_operations", kShape, device_a, device_b, out, kCount);
  EXPECT_SAME(out, expected);
}

TEST_P(CarryChain, Add256) {
  const auto a = limbs(kCount * 8, 3), b = limbs(kCount * 8, 4);
  std::vector<uint32_t> expected;
  for (int i = 0; i < kCount; ++i) {
    uint64_t carry = 0;
    for (int limb = 0; limb < 8; ++limb) {
      carry += uint64_t(a[i * 8 + limb]) + b[i * 8 + limb];
      expected.push_back(uint32_t(carry));
      carry >>= 32;
    }
    expected.push_back(uint32_t(carry));
  }
  Buffer device_a(a), device_b(b);
  Buffer<uint32_t> out(expected.size());
  launch("add256", kShape, device_a, device_b, out, kCount);
  EXPECT_SAME(out, expected);
}

TEST_P(CarryChain, Sub128WithBorrowOut) {
  const auto a = limbs(kCount * 4, 5), b = limbs(kCount * 4, 6);
  std::vector<uint32_t> expected;
  for (int i = 0; i < kCount; ++i) {
    const u128 x = wide(&a[i * 4], 4), y = wide(&b[i * 4], 4);
    for (int limb = 0; limb < 4; ++limb) expected.push_back(uint32_t((x - y) >> 32 * limb));
    expected.push_back(x < y ? 0xffffffffu : 0);
  }
  Buffer device_a(a), device_b(b);
  Buffer<uint32_t> out(expected.size());
  launch("sub128", kShape, device_a, device_b, out, kCount);
  EXPECT_SAME(out, expected);
}

TEST_P(CarryChain, Mul64To128ByMultiplyAdd) {
  const auto a = limbs(kCount * 2, 7), b = limbs(kCount * 2, 8);
  std::vector<uint32_t> expected;
  for (int i = 0; i < kCount; ++i) {
    const u128 product = wide(&a[i * 2], 2) * wide(&b[i * 2], 2);
    for (int limb = 0; limb < 4; ++limb) expected.push_back(uint32_t(product >> 32 * limb));
  }
  Buffer device_a(a), device_b(b);
  Buffer<uint32_t> out(expected.size());
  launch("mul64_wide", kShape, device_a, device_b, out, kCount);
  EXPECT_SAME(out, expected);
}

}  // namespace
}  // namespace heddle::kernels
