// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of sm_90a: producer warps, bulk copies, warp groups that multiply, clusters.
#include "matrix_operands.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(WgmmaGemm, "wgmma_gemm");

constexpr int kBlock = 128;

Shape gemm_shape(int m, int n) {
  constexpr size_t kStages = 3, kStageBytes = 32768;
  return Shape{{unsigned(n / kBlock), unsigned(m / kBlock)}, {384}}.with_shared(kStages *
                                                                                kStageBytes);
}

struct GemmCase {
  const char* kernel;
  bool rows_of_b;
};
const GemmCase kGemms[] = {{"gemm_columns", false}, {"gemm_rows", true}, {"gemm_registers", true}};

struct Size {
  int m, n, k;
};

TEST_P(WgmmaGemm, SpecialisedWarps) {
  for (const GemmCase& gemm : kGemms) {
    for (const Size& size : {Size{128, 128, 64}, {128, 128, 320}, {256, 128, 256}}) {
      SCOPED_TRACE(gemm.kernel + std::string(", k ") + std::to_string(size.k));
      const Lines a = small_operand(size.m, size.k, 20, 1),
                  b = small_operand(size.n, size.k, 20, 2);
      const auto columns = encoded(b, f16_bits);
      Buffer device_a(swizzled_tiles(encoded(a, f16_bits), size.k, kBlock));
      Buffer device_b(gemm.rows_of_b ? transposed(columns, size.k) : columns);
      Buffer<float> d(size_t(size.m) * size.n);
      launch(gemm.kernel, gemm_shape(size.m, size.n), device_a, device_b, d, size.n, size.k);
      EXPECT_SAME(d, product(a, b));
    }
  }
}

TEST_P(WgmmaGemm, ElevenBits) {
  constexpr int kK = 256;
  const Lines a = fine_operand(128, kK, 3), b = fine_operand(128, kK, 4);
  Buffer device_a(swizzled_tiles(encoded(a, f16_bits), kK, kBlock));
  Buffer device_b(encoded(b, f16_bits));
  Buffer<float> d(128 * 128);
  launch("gemm_columns", gemm_shape(128, 128), device_a, device_b, d, 128, kK);
  expect_near(d.values(), a, b);
}

TEST_P(WgmmaGemm, PairsOfCtasShareB) {
  for (const Size& size : {Size{256, 128, 64}, {256, 256, 512}}) {
    SCOPED_TRACE(size.k);
    const Lines a = small_operand(size.m, size.k, 3, 5), b = small_operand(size.n, size.k, 3, 6);
    Buffer device_a(swizzled_tiles(encoded(a, f16_bits), size.k, kBlock));
    Buffer device_b(swizzled_tiles(encoded(b, f16_bits), size.k, kBlock));
    Buffer<uint16_t> d(size_t(size.m) * size.n);
    launch("gemm_multicast", gemm_shape(size.m, size.n), device_a, device_b, d, size.n, size.k);
    const auto exact = product(a, b);
    EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) { return f16_bits(exact[i]); }));
  }
}

TEST_P(WgmmaGemm, TwoLevelsOfSums) {
  constexpr int kK = 512, kScaled = 128;
  const Lines a = small_operand(256, kK, 2, 7), b = small_operand(256, kK, 2, 8);
  const std::vector<float> values = {0.5, 1, 2, 4};
  const Lines scales_a = scale_factors(a, kScaled, values, 9);
  Lines scales_b = scale_factors(b, kScaled, values, 10);
  for (size_t i = 0; i < scales_b.values.size(); ++i)
    scales_b.values[i] =
        scales_b.values[i / (kBlock * scales_b.k) * kBlock * scales_b.k + i % scales_b.k];
  std::vector<float> of_blocks;
  for (int line = 0; line < b.lines; line += kBlock)
    for (int i = 0; i < scales_b.k; ++i) of_blocks.push_back(scales_b.at(line, i));
  Buffer device_a(swizzled_tiles(encoded(a, e4m3_bits), kK, kBlock));
  Buffer device_b(swizzled_tiles(encoded(b, e4m3_bits), kK, kBlock));
  Buffer device_scales_a(scales_a.values), device_scales_b(of_blocks);
  Buffer<float> d(256 * 256);
  launch("gemm_e4m3", gemm_shape(256, 256), device_a, device_b, device_scales_a, device_scales_b, d,
         256, kK);
  EXPECT_SAME(d, product(scaled(a, scales_a), scaled(b, scales_b)));
}

}  // namespace
}  // namespace heddle::kernels
