// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit manipulation.
#include <algorithm>
#include <bit>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Bits, "bits");

uint32_t reversed(uint32_t x) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}

uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
  const uint64_t bytes = uint64_t(y) << 32 | x;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t pick = selector >> 4 * i & 15;
    uint8_t byte = uint8_t(bytes >> 8 * (pick & 7));
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << 8 * i;
  }
  return result;
}

template <class Byte>
uint32_t dot(uint32_t x, uint32_t y, uint32_t sum) {
  for (int i = 0; i < 4; ++i) sum += uint32_t(int(Byte(x >> 8 * i)) * int(Byte(y >> 8 * i)));
  return sum;
}

uint32_t extracted(uint32_t x, uint32_t pos, uint32_t len, bool is_signed) {
  uint32_t result = 0;
  const uint32_t sign = len == 0 || !is_signed ? 0 : x >> std::min(pos + len - 1, 31u) & 1;
  for (uint32_t i = 0; i < 32; ++i) {
    result |= (i < len && pos + i < 32 ? x >> (pos + i) & 1 : sign) << i;
  }
  return result;
}

uint32_t inserted(uint32_t field, uint32_t into, uint32_t pos, uint32_t len) {
  for (uint32_t i = 0; i < len && pos + i < 32; ++i) {
    into = (into & ~(1u << (pos + i))) | (field >> i & 1) << (pos + i);
  }
  return into;
}

TEST_P(Bits, EveryOperation) {
  const int n = 2000;
  auto x = random_values<uint32_t>(n, 1), y = random_values<uint32_t>(n, 2),
       z = random_values<uint32_t>(n, 3);
  for (int i = 0; i < 64; ++i) {
    x[i] = i % 4 == 0 ? 0 : i % 4 == 1 ? ~0u : 1u << i % 32;
    z[i] = i % 8 * 8 + i / 8 * 64;
  }
  std::vector<uint32_t> expected;
  for (int i = 0; i < n; ++i) {
    const uint32_t a = x[i], b = y[i], c = z[i];
    const uint64_t pair = uint64_t(b) << 32 | a;
    const uint32_t clamped = std::min(c & 63, 32u);
    const uint32_t normal = int32_t(a) < 0 ? ~a : a;
    for (uint32_t result :
         {uint32_t(std::popcount(a)), uint32_t(std::countl_zero(a)), reversed(a),
          uint32_t(a == 0 ? 0 : std::countr_zero(a) + 1), uint32_t(pair << (c & 31) >> 32),
          uint32_t(pair >> (c & 31)), uint32_t(pair << clamped >> 32), uint32_t(pair >> clamped),
          permuted(a, b, c), dot<int8_t>(a, b, c), dot<uint8_t>(a, b, c),
          extracted(a, b & 63, c & 63, false), extracted(a, b & 63, c & 63, true),
          inserted(a, b, c & 63, c >> 6 & 63), a ^ b ^ c, (a & b) | (~a & c),
          a == 0 ? ~0u : 31 - std::countl_zero(a), normal == 0 ? ~0u : std::countl_zero(normal),
          uint32_t(pair >> 8 * (c & 3))}) {
      expected.push_back(result);
    }
  }
  Buffer device_x(x), device_y(y), device_z(z);
  for (const Shape& shape : {Shape{{2}, {1000}}, Shape{{61}, {33}}}) {
    SCOPED_TRACE(shape);
    Buffer<uint32_t> out(expected.size());
    launch("bit_operations", shape, device_x, device_y, device_z, out, n);
    EXPECT_SAME(out, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
