// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The game of life, several generations in ping-pong buffers.
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Life, "life");

constexpr int kWidth = 53, kHeight = 38;

std::vector<uint8_t> next_generation(const std::vector<uint8_t>& cells) {
  return tabulate(cells.size(), [&](size_t i) {
    const int x = i % kWidth, y = i / kWidth;
    int neighbours = -cells[i];
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        neighbours += cells[(y + dy + kHeight) % kHeight * kWidth + (x + dx + kWidth) % kWidth];
      }
    }
    return uint8_t(neighbours == 3 || (neighbours == 2 && cells[i]));
  });
}

TEST_P(Life, TenGenerations) {
  for (Extent block : {Extent{16, 16}, Extent{32, 2}, Extent{7, 9}}) {
    const Shape shape = {{(kWidth + block.x - 1) / block.x, (kHeight + block.y - 1) / block.y},
                         block,
                         (block.x + 2) * (block.y + 2)};
    SCOPED_TRACE(shape);
    auto cells = random_values<uint8_t>(kWidth * kHeight, 1);
    for (uint8_t& cell : cells) cell %= 2;
    Buffer a(cells), b(cells);
    for (int generation = 0; generation < 5; ++generation) {
      launch("life_step", shape, a, b, kWidth, kHeight);
      launch("life_step", shape, b, a, kWidth, kHeight);
      cells = next_generation(next_generation(cells));
    }
    EXPECT_SAME(a, cells);
  }
}

}  // namespace
}  // namespace heddle::kernels
