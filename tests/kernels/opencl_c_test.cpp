// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that clang compiled from OpenCL C.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(OpenClC, "opencl_c");

TEST_P(OpenClC, VectorsOfFour) {
  const int n = 100;
  const auto values = random_values<float>(4 * n, 1);
  Buffer in(values);
  Buffer<float> out(4 * n);
  launch("cl_scale4", {{4}, {33}}, in, out, 2.5f, n);
  EXPECT_SAME(out, tabulate(4 * n, [&](size_t i) { return values[i / 4 * 4 + 3 - i % 4] * 2.5f; }));
}

TEST_P(OpenClC, GroupMaximumInLocalMemory) {
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    const auto values = random_values<int>(shape.threads(), 2);
    Buffer in(values);
    Buffer<int> out(shape.grid.x);
    launch("cl_group_max", shape, in, out);
    EXPECT_SAME(out, tabulate(shape.grid.x, [&](size_t group) {
                  const auto begin = values.begin() + group * shape.block.x;
                  return *std::max_element(begin, begin + shape.block.x);
                }));
  }
}

TEST_P(OpenClC, ConstantTableAndBytes) {
  const auto bytes = random_values<uint8_t>(4 * 90, 3);
  Buffer in(bytes);
  Buffer<int> out(90);
  launch("cl_weighted", {{3}, {32}}, in, out, 90);
  EXPECT_SAME(out, tabulate(90, [&](size_t i) {
                return bytes[4 * i] + 10 * bytes[4 * i + 1] + 100 * bytes[4 * i + 2] +
                       1000 * bytes[4 * i + 3];
              }));
}

}  // namespace
}  // namespace heddle::kernels
