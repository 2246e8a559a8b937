// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32 of messages of different lengths, one per thread.
#include <string_view>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Crc32, "crc32");

uint32_t crc32(const uint8_t* data, size_t size) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

TEST_P(Crc32, CheckValue) {
  const std::string_view digits = "123456789";
  Buffer data(std::vector<uint8_t>(digits.begin(), digits.end()));
  Buffer offsets(std::vector<uint32_t>{0, 9, 9});
  Buffer<uint32_t> out(2);
  launch("crc32", {{1}, {3}}, data, offsets, out, 2);
  EXPECT_SAME(out, {0xcbf43926, 0});
}

TEST_P(Crc32, MessagesOfDifferentLengths) {
  const int count = 200;
  Random random(1);
  std::vector<uint32_t> offsets = {0};
  for (int i = 0; i < count; ++i) offsets.push_back(offsets.back() + random.below(60));
  const auto data = random_values<uint8_t>(offsets.back(), 2);
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer device_data(data);
    Buffer device_offsets(offsets);
    Buffer<uint32_t> out(count);
    launch("crc32", shape, device_data, device_offsets, out, count);
    EXPECT_SAME(out, tabulate(count, [&](size_t i) {
                  return crc32(&data[0] + offsets[i], offsets[i + 1] - offsets[i]);
                }));
  }
}

}  // namespace
}  // namespace heddle::kernels
