// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit integer arithmetic at its corners and on random bits.
#include <algorithm>
#include <bit>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Int64, "int64");

uint64_t reversed(uint64_t bits) {
  uint64_t result = 0;
  for (int i = 0; i < 64; ++i) result |= (bits >> i & 1) << (63 - i);
  return result;
}

TEST_P(Int64, EveryOperation) {
  const uint64_t corners[] = {
      0,          1,          2,           ~0ull,       1ull << 63, (1ull << 63) - 1,
      0xffffffff, 1ull << 32, 0x80000000u, 0x7fffffffu, 63,         64};
  auto a = random_values<uint64_t>(500, 1), b = random_values<uint64_t>(500, 2);
  for (uint64_t x : corners) {
    for (uint64_t y : corners) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (size_t i = 0; i < 200; ++i) b[i] >>= i % 64;  // divisors of every size
  std::vector<uint64_t> expected;
  for (size_t i = 0; i < a.size(); ++i) {
    const uint64_t ux = a[i], uy = b[i];
    const int64_t x = ux, y = uy;
    const bool divides = uy != 0 && !(y == -1 && x == INT64_MIN);
    const uint64_t counts = std::popcount(ux) + 100 * std::countl_zero(ux) +
                            10000 * (ux == 0 ? 0 : std::countr_zero(ux) + 1);
    const auto wide_unsigned = static_cast<unsigned __int128>(ux) * uy;
    const auto wide_signed = static_cast<__int128>(x) * y;
    const uint64_t u32_product = uint64_t(uint32_t(ux)) * uint32_t(uy);
    const int64_t s32_product = int64_t(int32_t(x)) * int32_t(y);
    const uint64_t results[] = {
        ux + uy,
        ux - uy,
        ux * uy,
        uint64_t(wide_unsigned >> 64),
        uint64_t(wide_signed >> 64),
        divides ? ux / uy : 0,
        divides ? ux % uy : 0,
        divides ? uint64_t(x / y) : 0,
        divides ? uint64_t(x % y) : 0,
        ux << (uy & 63),
        ux >> (uy & 63),
        uint64_t(x >> (uy & 63)),
        uint64_t(std::min(x, y)),
        std::min(ux, uy),
        counts,
        reversed(ux),
        u32_product,
        uint64_t(s32_product),
        uint64_t(int64_t(int32_t(x)) + int16_t(y)),
        (u32_product >> 32) + (uint64_t(uint32_t(s32_product >> 32)) << 32)};
    expected.insert(expected.end(), std::begin(results), std::end(results));
  }
  Buffer device_a(a), device_b(b);
  for (const Shape& shape : {Shape{{1}, {1024}}, Shape{{10}, {65}}}) {
    SCOPED_TRACE(shape);
    Buffer<uint64_t> out(expected.size());
    launch("int64_operations", shape, int(a.size()), device_a, device_b, out);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Int64, DivisionByConstants) {
  auto a = random_values<int64_t>(300, 3);
  for (int64_t corner : {INT64_MIN, INT64_MAX, int64_t(0), int64_t(-1), int64_t(-16), int64_t(15)})
    a.push_back(corner);
  std::vector<int64_t> expected;
  for (int64_t x : a) {
    const uint64_t ux = x;
    for (int64_t result : {x / 10, x % 1000000007, int64_t(ux / 7), int64_t(ux % 641), x / -16,
                           int64_t(uint32_t(int32_t(x) / 7) + uint32_t(ux) % 10)}) {
      expected.push_back(result);
    }
  }
  Buffer device(a);
  Buffer<int64_t> out(expected.size());
  launch("divide_by_constants", {{3}, {128}}, int(a.size()), device, out);
  EXPECT_SAME(out, expected);
}

}  // namespace
}  // namespace heddle::kernels
