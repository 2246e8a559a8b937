// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of sm_90a: producer warps, bulk copies, warp groups that multiply, clusters.
#include "matrix_operands.h"
#include "tensor_map.h"

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
      const Matrix a = integers(size.m, size.k, -20, 20, 1),
                   b = integers(size.n, size.k, -20, 20, 2);
      const auto columns = halves(b);
      Buffer device_a(swizzled_tiles(halves(a), size.k, kBlock));
      Buffer device_b(gemm.rows_of_b ? transposed(columns, size.k) : columns);
      Buffer<float> d(size_t(size.m) * size.n);
      launch(gemm.kernel, gemm_shape(size.m, size.n), device_a, device_b, d, size.n, size.k);
      EXPECT_SAME(d, product_of_lines(a, b));
    }
  }
}

TEST_P(WgmmaGemm, ElevenBits) {
  constexpr int kK = 256;
  const Matrix a = eleven_bits(128, kK, 3), b = eleven_bits(128, kK, 4);
  Buffer device_a(swizzled_tiles(halves(a), kK, kBlock));
  Buffer device_b(halves(b));
  Buffer<float> d(128 * 128);
  launch("gemm_columns", gemm_shape(128, 128), device_a, device_b, d, 128, kK);
  expect_near(d.values(), a, b);
}

TEST_P(WgmmaGemm, PairsOfCtasShareB) {
  for (const Size& size : {Size{256, 128, 64}, {256, 256, 512}}) {
    SCOPED_TRACE(size.k);
    const Matrix a = integers(size.m, size.k, -3, 3, 5), b = integers(size.n, size.k, -3, 3, 6);
    Buffer device_a(swizzled_tiles(halves(a), size.k, kBlock));
    Buffer device_b(swizzled_tiles(halves(b), size.k, kBlock));
    Buffer<uint16_t> d(size_t(size.m) * size.n);
    launch("gemm_multicast", gemm_shape(size.m, size.n), device_a, device_b, d, size.n, size.k);
    const auto exact = product_of_lines(a, b);
    EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) { return uint16_t(encoded(exact[i], kF16)); }));
  }
}

TEST_P(WgmmaGemm, TensorMaps) {
  for (const Size& size : {Size{256, 128, 64}, {256, 256, 360}, {200, 136, 72}}) {
    SCOPED_TRACE(size.k);
    const auto m = unsigned(size.m), n = unsigned(size.n), k = unsigned(size.k);
    const Matrix a = integers(size.m, size.k, -3, 3, 11), b = integers(size.n, size.k, -3, 3, 12);
    Buffer device_a(halves(a)), device_b(halves(b));
    Buffer<uint16_t> d(size_t(m) * n);
    const auto map_of = [](const Buffer<uint16_t>& buffer, unsigned columns, unsigned rows,
                           Extent box, CUtensorMapSwizzle swizzle) {
      return matrix_map(buffer.address(), CU_TENSOR_MAP_DATA_TYPE_FLOAT16, columns, rows,
                        columns * sizeof(uint16_t), box, swizzle);
    };
    const unsigned columns = (n + kBlock - 1) / kBlock, rows = (m + 2 * kBlock - 1) / (2 * kBlock);
    Shape shape = gemm_shape(int(rows) * 2 * kBlock, int(columns) * kBlock);
    launch("gemm_tensor_maps", shape, map_of(device_a, k, m, {64, 128}, CU_TENSOR_MAP_SWIZZLE_128B),
           map_of(device_b, k, n, {64, 64}, CU_TENSOR_MAP_SWIZZLE_128B),
           map_of(d, n, m, {128, 64}, CU_TENSOR_MAP_SWIZZLE_NONE), size.k);
    const auto exact = product_of_lines(a, b);
    EXPECT_SAME(d, tabulate(d.size(), [&](size_t i) { return uint16_t(encoded(exact[i], kF16)); }));
  }
}

TEST_P(WgmmaGemm, TwoLevelsOfSums) {
  constexpr int kK = 512, kScaled = 128;
  const Matrix a = integers(256, kK, -2, 2, 7), b = integers(256, kK, -2, 2, 8);
  const std::vector<float> values = {0.5, 1, 2, 4};
  const Matrix scales_a = scale_factors(a, kScaled, values, 9);
  const Matrix drawn = scale_factors(b, kScaled, values, 10);
  const Matrix scales_b = tabulated(
      drawn.rows, drawn.columns, [&](int line, int i) { return drawn(line / kBlock * kBlock, i); });
  std::vector<float> of_blocks;
  for (int line = 0; line < b.rows; line += kBlock)
    for (int i = 0; i < scales_b.columns; ++i) of_blocks.push_back(float(scales_b(line, i)));
  Buffer device_a(swizzled_tiles(encoded<uint8_t>(a, kE4m3), kK, kBlock));
  Buffer device_b(swizzled_tiles(encoded<uint8_t>(b, kE4m3), kK, kBlock));
  Buffer device_scales_a(as<float>(scales_a)), device_scales_b(of_blocks);
  Buffer<float> d(256 * 256);
  launch("gemm_e4m3", gemm_shape(256, 256), device_a, device_b, device_scales_a, device_scales_b, d,
         256, kK);
  EXPECT_SAME(d, product_of_lines(scaled(a, scales_a), scaled(b, scales_b)));
}

}  // namespace
}  // namespace heddle::kernels
