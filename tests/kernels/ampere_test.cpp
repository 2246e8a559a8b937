// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sm_80 instructions.
#include <algorithm>

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

}  // namespace
}  // namespace heddle::kernels
