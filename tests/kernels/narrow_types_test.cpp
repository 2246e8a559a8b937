// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow integers.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(NarrowTypes, "narrow_types");

TEST_P(NarrowTypes, ExtendAndCut) {
  const int n = 1500;
  const auto a = random_values<int8_t>(n, 1);
  const auto b = random_values<uint8_t>(n, 2);
  const auto c = random_values<int16_t>(n, 3);
  auto d = random_values<uint16_t>(n, 4);
  for (int i = 0; i < n; i += 3) d[i] %= 100;
  std::vector<int> expected;
  for (int i = 0; i < n; ++i) {
    for (int result :
         {a[i] + b[i], int(int8_t(a[i] * 3)), int(uint8_t(b[i] + c[i])), int(int16_t(c[i] * d[i])),
          int(uint16_t(c[i] - d[i])), c[i] >> 3, d[i] == 0 ? 0 : c[i] / d[i],
          b[i] == 0 ? 0 : uint8_t(d[i]) % b[i], int(a[i] < int8_t(b[i])),
          int(uint16_t(d[i] << (b[i] & 15)) | uint32_t(b[i]) << 24)}) {
      expected.push_back(result);
    }
  }
  Buffer device_a(a);
  Buffer device_b(b);
  Buffer device_c(c);
  Buffer device_d(d);
  Buffer<int> out(expected.size());
  launch("narrow_operations", {{16}, {100}}, device_a, device_b, device_c, device_d, out, n);
  EXPECT_SAME(out, expected);
}

TEST_P(NarrowTypes, BytesInPlace) {
  const auto bytes = random_values<uint8_t>(777, 5);
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer device(bytes);
    launch("rotate_bytes", shape, device, 777, 3);
    EXPECT_SAME(device, tabulate(777, [&](size_t i) {
                  const uint8_t byte = bytes[i];
                  return i < shape.threads() ? uint8_t(byte << 3 | byte >> 5) : byte;
                }));
  }
}

TEST_P(NarrowTypes, VectorsOfFourBytes) {
  const int n = 200;
  const auto a = random_values<uint8_t>(4 * n, 6), b = random_values<uint8_t>(4 * n, 7);
  Buffer device_a(a), device_b(b);
  Buffer<uint8_t> out(4 * n);
  launch("blend", {{4}, {64}}, device_a, device_b, out, 90, n);
  EXPECT_SAME(out, tabulate(4 * n, [&](size_t i) {
                const int p = a[i], q = b[i];
                switch (i % 4) {
                  case 0:
                    return uint8_t((p * 90 + q * 166) >> 8);
                  case 1:
                    return uint8_t(std::min(p + q, 255));
                  case 2:
                    return uint8_t(std::max(p - q, 0));
                  default:
                    return uint8_t((p + q + 1) / 2);
                }
              }));
}

}  // namespace
}  // namespace heddle::kernels
