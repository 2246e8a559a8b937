// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils in one, two and three dimensions.
#include <algorithm>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Stencil, "stencil");

TEST_P(Stencil, OneDimensionWithSharedHalo) {
  for (int n : {1, 5, 500}) {
    for (unsigned block : {1u, 5u, 32u, 77u, 512u}) {
      const Shape shape = {{(n + block - 1) / block}, {block}, (block + 6) * 4};
      SCOPED_TRACE(testing::Message() << shape << ", n = " << n);
      const auto values = random_values<int>(n, 1);
      Buffer in(values);
      Buffer<int> out(n);
      launch("stencil_1d", shape, in, out, n);
      EXPECT_SAME(out, tabulate(n, [&](size_t i) {
                    uint32_t sum = 0;
                    for (int d = -3; d <= 3; ++d) {
                      sum += (d + 10) * static_cast<uint32_t>(
                                            values[std::clamp(static_cast<int>(i) + d, 0, n - 1)]);
                    }
                    return static_cast<int>(sum);
                  }));
    }
  }
}

TEST_P(Stencil, TwoDimensions) {
  const int width = 70, height = 37;
  const auto in = random_values<float>(width * height, 2);
  const auto expected = tabulate(in.size(), [&](size_t i) {
    const int x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return in[i];
    return 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) - in[i];
  });
  for (Extent block : {Extent{32, 4}, Extent{16, 16}, Extent{9, 11}, Extent{70, 1}}) {
    const Shape shape = {{(width + block.x - 1) / block.x, (height + block.y - 1) / block.y},
                         block};
    SCOPED_TRACE(shape);
    Buffer device(in);
    Buffer<float> out(in.size());
    launch("stencil_2d", shape, device, out, width, height);
    EXPECT_SAME(out, expected);
  }
}

TEST_P(Stencil, ThreeDimensions) {
  const int nx = 19, ny = 11, nz = 13, plane = nx * ny;
  const auto in = random_values<double>(plane * nz, 3);
  const auto expected = tabulate(in.size(), [&](size_t i) {
    const int x = i % nx, y = i / nx % ny, z = i / plane;
    double sum = -6.0 * in[i];
    if (x > 0) sum += in[i - 1];
    if (x < nx - 1) sum += in[i + 1];
    if (y > 0) sum += in[i - nx];
    if (y < ny - 1) sum += in[i + nx];
    if (z > 0) sum += in[i - plane];
    if (z < nz - 1) sum += in[i + plane];
    return sum;
  });
  for (Extent block : {Extent{8, 8, 8}, Extent{4, 4, 4}, Extent{19, 1, 3}, Extent{3, 5, 7}}) {
    const Shape shape = {
        {(nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z},
        block};
    SCOPED_TRACE(shape);
    Buffer device(in);
    Buffer<double> out(in.size());
    launch("stencil_3d", shape, device, out, nx, ny, nz);
    EXPECT_SAME(out, expected);
  }
}

}  // namespace
}  // namespace heddle::kernels
