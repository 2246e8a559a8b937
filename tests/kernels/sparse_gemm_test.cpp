// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a sparse matrix: equal to those of the matrix with its zeros.
#include <fmt/format.h>

#include "harness/matrices.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(SparseGemm, "sparse_gemm");

// Two elements of every four in a row, and where they are: two bits each, the first one lowest.
struct SparseMatrix {
  Matrix dense, stored;
  std::vector<uint16_t> metadata;  // 16 elements of a row in each word
};
SparseMatrix sparse_matrix(int rows, int columns, uint64_t seed) {
  constexpr int kPairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  SparseMatrix matrix{{rows, columns, std::vector<double>(size_t(rows * columns))},
                      integers(rows, columns / 2, -50, 50, seed),
                      std::vector<uint16_t>(size_t(rows * columns / 16))};
  Random random(seed + 1);
  for (int four = 0; four < rows * columns / 4; ++four) {
    const auto& pair = kPairs[random.below(6)];
    for (int i = 0; i < 2; ++i) {
      matrix.dense.elements[4 * size_t(four) + size_t(pair[i])] =
          matrix.stored.elements[2 * size_t(four) + size_t(i)];
      matrix.metadata[size_t(four / 4)] |= uint16_t(pair[i] << (four % 4 * 4 + 2 * i));
    }
  }
  return matrix;
}

TEST_P(SparseGemm, EqualsDense) {
  constexpr int kSizes[][3] = {{64, 64, 64}, {130, 70, 112}, {16, 8, 32}, {1, 100, 16}};
  for (const auto& [m, n, k] : kSizes) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", m, n, k));
    const SparseMatrix a = sparse_matrix(m, k, 1);
    const Matrix b = integers(k, n, -50, 50, 3);
    const DeviceMatrix device_a(a.stored, kF16), device_b(b, kF16);
    Buffer metadata(a.metadata);
    Buffer<float> d(size_t(m * n));
    launch("sparse_f16", {{unsigned(n + 63) / 64, unsigned(m + 63) / 64}, {128}},
           device_a.operand(), device_b.operand(), (k + 63) / 64, d, m, n, metadata, k / 16);
    EXPECT_SAME(d, as<float>(product(a.dense, b)));
  }
}

}  // namespace
}  // namespace heddle::kernels
