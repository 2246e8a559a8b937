// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures as kernel parameters.
#include <cmath>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(StructParam, "struct_param");

struct Small {
  char tag;
  int16_t step;
  char sign;
};

struct Large {
  double scale;
  Small small;
  int table[6];
  CUdeviceptr source;
  unsigned char bytes[5];
};

struct alignas(8) Float2 {
  float x, y;
};
struct alignas(16) Float4 {
  float x, y, z, w;
};

TEST_P(StructParam, MixedAlignments) {
  const std::vector<float> source = {0.5f, 1.5f, -2, 3, 4.25f, 5, 6, -7};
  Buffer device_source(source);
  const Large large = {
      1.5, {'x', -300, 3}, {1, -2, 3, -4, 5, -6}, device_source.address(), {10, 20, 30, 40, 250}};
  const Small small = {'s', 1000, -5};
  const Float2 pair = {8, 0.25f};
  const Float4 quad = {1, 2, 3, 4};
  for (const Shape& shape : kLineShapes) {
    SCOPED_TRACE(shape);
    Buffer<double> out(shape.threads());
    launch("struct_parameters", shape, 'a', large, small, 'b', pair, quad, out);
    EXPECT_SAME(out, tabulate(out.size(), [&](size_t i) {
                  const int by = i % 7;
                  Large next = large;
                  next.scale += by;
                  next.table[by % 6] *= 2;
                  next.small.step += by;
                  double sum = next.scale * next.table[i % 6] + next.small.step * next.small.sign;
                  sum += small.tag + 2 * small.step + 4 * small.sign + 'a' - 'b';
                  sum += source[i % 8] + next.bytes[i % 5];
                  sum +=
                      i % 2 ? pair.x - pair.y : quad.x + 10 * quad.y + 100 * quad.z + 1000 * quad.w;
                  return sum;
                }));
  }
}

struct MatrixParameter {
  float m[4][4];
};

TEST_P(StructParam, DynamicallyIndexedMatrix) {
  MatrixParameter matrix;
  const auto numbers = random_values<float>(16, 1);
  std::memcpy(&matrix, numbers.data(), sizeof(matrix));
  const int n = 50;
  const auto in = random_values<float>(4 * n, 2);
  Buffer device(in);
  Buffer<float> out(4 * n);
  launch("matrix_parameter", {{7}, {31}}, matrix, device, out, n);
  EXPECT_SAME(out, tabulate(4 * n, [&](size_t i) {
                const float* v = &in[i / 4 * 4];
                const float* row = matrix.m[i % 4];
                return std::fma(row[3], v[3],
                                std::fma(row[2], v[2], std::fma(row[1], v[1], row[0] * v[0])));
              }));
}

struct Big {
  int values[1000];
};

TEST_P(StructParam, FourThousandBytes) {
  Big big;
  for (int i = 0; i < 1000; ++i) big.values[i] = i * i;
  Buffer<int> out(1000);
  launch("big_parameter", {{4}, {256}}, char{}, big, out);
  EXPECT_SAME(out, tabulate(1000, [](size_t i) { return int((999 - i) * (999 - i)); }));
}

}  // namespace
}  // namespace heddle::kernels
