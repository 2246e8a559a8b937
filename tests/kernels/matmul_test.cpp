// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: all three kernels add in the order of k with fma, so the host does too.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(MatMul, "matmul");

struct Sizes {
  int rows, inner, columns;
};

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, Sizes s) {
  std::vector<float> c(s.rows * s.columns, 0.0f);
  for (int row = 0; row < s.rows; ++row) {
    for (int k = 0; k < s.inner; ++k) {
      for (int column = 0; column < s.columns; ++column) {
        float& sum = c[row * s.columns + column];
        sum = std::fma(a[row * s.inner + k], b[k * s.columns + column], sum);
      }
    }
  }
  return c;
}

constexpr Sizes kSizes[] = {{1, 1, 1}, {16, 16, 16}, {33, 17, 20}, {64, 50, 70}};

TEST_P(MatMul, NaiveInEveryBlockShape) {
  for (Sizes s : kSizes) {
    const auto a = random_values<float>(s.rows * s.inner, 1);
    const auto b = random_values<float>(s.inner * s.columns, 2);
    const auto expected = product(a, b, s);
    for (Extent block : {Extent{16, 16}, Extent{32, 3}, Extent{7, 5}, Extent{1, 64}}) {
      const Extent grid = {(s.columns + block.x - 1) / block.x, (s.rows + block.y - 1) / block.y};
      const Shape shape = {grid, block};
      SCOPED_TRACE(shape);
      Buffer device_a(a), device_b(b);
      Buffer<float> c(expected.size());
      launch("matmul_naive", shape, device_a, device_b, c, s.rows, s.inner, s.columns);
      EXPECT_SAME(c, expected);
    }
  }
}

TEST_P(MatMul, TiledWithRaggedEdges) {
  for (Sizes s : kSizes) {
    const auto a = random_values<float>(s.rows * s.inner, 3);
    const auto b = random_values<float>(s.inner * s.columns, 4);
    Buffer device_a(a), device_b(b);
    Buffer<float> c(s.rows * s.columns);
    const Extent grid = {(s.columns + 15u) / 16, (s.rows + 15u) / 16};
    launch("matmul_tiled", {grid, {16, 16}}, device_a, device_b, c, s.rows, s.inner, s.columns);
    // The padding adds 0 * x, which cannot change a sum (it starts at +0).
    EXPECT_SAME(c, product(a, b, s));
  }
}

TEST_P(MatMul, RegisterTiledWithVectorLoads) {
  const Sizes s = {64, 24, 128};
  const auto a = random_values<float>(s.rows * s.inner, 5);
  const auto b = random_values<float>(s.inner * s.columns, 6);
  Buffer device_a(a), device_b(b);
  Buffer<float> c(s.rows * s.columns);
  launch("matmul_register_tiled", {{2, 1}, {256}}, device_a, device_b, c, s.inner, s.columns);
  EXPECT_SAME(c, product(a, b, s));
}

}  // namespace
}  // namespace heddle::kernels
