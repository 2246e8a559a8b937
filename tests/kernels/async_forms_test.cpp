// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(AsyncForms, "async_forms");

TEST_P(AsyncForms, Phases) {
  Buffer<uint32_t> out(6);
  launch("phases", {{1}, {1}}, out);
  EXPECT_SAME(out, std::vector<uint32_t>{2, 0, 0, 1, 1, 0});
}

TEST_P(AsyncForms, MaskedCopy) {
  const auto in = random_values<uint8_t>(256, 1);
  Buffer device(in);
  Buffer out(std::vector<uint8_t>(256, 0xee));
  launch("masked_copy", {{1}, {1}}, device, out);
  EXPECT_SAME(out, tabulate(256, [&](size_t i) -> uint8_t {
                if (i % 16 > 3 && i % 16 < 15) return 0xee;
                return i < 128 ? in[i] : 0;
              }));
}

TEST_P(AsyncForms, ToAnotherBlock) {
  const auto in = random_values<uint32_t>(16, 2);
  Buffer device(in);
  Buffer<uint32_t> out(64);
  launch("send", {{2}, {16}}, device, out);
  EXPECT_SAME(out, tabulate(64, [&](size_t i) -> uint32_t {
                const uint32_t value = in[i % 16], before = uint32_t(i % 16) + 100;
                switch (i / 16) {
                  case 0:
                    return value;
                  case 1:
                    return value + before;
                  case 2:
                    return uint32_t(std::max(int32_t(value), int32_t(before)));
                  default:
                    break;
                }
                const uint32_t tail[8] = {0x3f800000,   110,       5,   uint32_t(-7),
                                          112 | 0xff00, 113 & 0xf, 115, 116};
                return i < 56 ? in[i - 48] : tail[i - 56];
              }));
}

TEST_P(AsyncForms, FloatReductions) {
  struct Values {
    uint16_t half[8], brain[8];
    float single[4];
    double wide[2];
  };
  // 1.5, 1, the smallest subnormal of f16; of f32 it is flushed.
  const Values in{{0x3e00, 0x3c00, 0x0001, 0, 0, 0, 0, 0},
                  {0x3fc0, 0xbf80, 0, 0, 0, 0, 0, 0},
                  {1.5f, 2.25f, 1e-40f, -1.0f},
                  {0.5, -2.0}};
  const Values before{{0x3c00, 0x3c00, 0x0001, 0, 0, 0, 0, 0},
                      {0x3f80, 0x3f80, 0, 0, 0, 0, 0, 0},
                      {1.0f, 1.0f, 1e-40f, 1.0f},
                      {0.25, 1.0}};
  const Values after{{0x4100, 0x4000, 0x0002, 0, 0, 0, 0, 0},
                     {0x3fc0, 0x3f80, 0, 0, 0, 0, 0, 0},
                     {2.5f, 3.25f, 0.0f, 0.0f},
                     {0.75, -1.0}};
  const auto bytes = [](const Values& values) {
    const auto* first = reinterpret_cast<const uint8_t*>(&values);
    return std::vector<uint8_t>(first, first + sizeof values);
  };
  Buffer device(bytes(in)), out(bytes(before));
  launch("reduce_floats", {{1}, {1}}, device, out);
  EXPECT_SAME(out, bytes(after));
}

TEST_P(AsyncForms, ToGlobalMemory) {
  Buffer out(std::vector<uint32_t>(36, 5));
  launch("to_global", {{1}, {32}}, out);
  EXPECT_SAME(out, tabulate(36, [](size_t i) -> uint32_t {
                if (i < 32) return uint32_t(i);
                return i == 32 ? 77 : i == 34 ? 5 + 3 * 32 : 5;
              }));
}

}  // namespace
}  // namespace heddle::kernels
