// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(SpecialRegisters, "special_registers");

struct Place {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t lane, warp_size, lanes_below, lanes_at, lanes_above;
};

TEST_P(SpecialRegisters, ThreeDimensionalGridsAndBlocks) {
  const Shape shapes[] = {{{1, 1, 1}, {1, 1, 1}},
                          {{2, 3, 4}, {5, 4, 3}},
                          {{4, 1, 2}, {32, 2, 1}},
                          {{1, 7, 1}, {1, 1, 64}},
                          {{1, 1, 3}, {8, 16, 8}}};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape);
    Buffer<Place> out(shape.threads());
    launch("whereabouts", shape, out);
    const auto &g = shape.grid, &b = shape.block;
    const unsigned per_block = b.count();
    EXPECT_SAME(out, tabulate(shape.threads(), [&](size_t i) {
                  const uint32_t block = uint32_t(i / per_block), thread = uint32_t(i % per_block);
                  const uint32_t lane = thread % 32;
                  return Place{{thread % b.x, thread / b.x % b.y, thread / b.x / b.y},
                               {b.x, b.y, b.z},
                               {block % g.x, block / g.x % g.y, block / g.x / g.y},
                               {g.x, g.y, g.z},
                               lane,
                               32,
                               (1u << lane) - 1,
                               1u << lane,
                               ~1u << lane};
                }));
  }
}

TEST_P(SpecialRegisters, ClocksAndAddressSpaces) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer<int> ok(shape.threads());
    launch("clocks_and_spaces", shape, ok);
    EXPECT_SAME(ok, std::vector<int>(shape.threads(), 0x4211));
  }
}

}  // namespace
}  // namespace heddle::kernels
