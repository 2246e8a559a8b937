// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of sm_100a: producer, product and store by warps of their own, pairs of CTAs,
// scale factors in tensor memory.
#include "matrix_operands.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(Tcgen05Gemm, "tcgen05_gemm");

constexpr int kRows = 128, kColumns = 128;
constexpr size_t kStages = 3, kTileBytes = 16384, kScaleBytes = 4096;
constexpr unsigned kThreads = 192;

struct GemmCase {
  const char* kernel;
  int ctas, m, n, k;
  unsigned grid;  // the CTAs compute several tiles each if they are fewer
};
const GemmCase kGemms[] = {
    {"gemm_one", 1, 128, 128, 64, 1},   {"gemm_one", 1, 256, 256, 320, 4},
    {"gemm_one", 1, 384, 256, 128, 1},  {"gemm_one", 1, 256, 384, 192, 4},
    {"gemm_pair", 2, 256, 128, 64, 2},  {"gemm_pair", 2, 512, 128, 320, 4},
    {"gemm_pair", 2, 512, 384, 128, 4},
};

TEST_P(Tcgen05Gemm, Halves) {
  for (const GemmCase& gemm : kGemms) {
    for (const bool fine : {false, true}) {
      SCOPED_TRACE(gemm.kernel + std::string(", m ") + std::to_string(gemm.m) + ", n " +
                   std::to_string(gemm.n));
      const Matrix a = fine ? eleven_bits(gemm.m, gemm.k, 3) : integers(gemm.m, gemm.k, -20, 20, 1);
      const Matrix b = fine ? eleven_bits(gemm.n, gemm.k, 4) : integers(gemm.n, gemm.k, -20, 20, 2);
      Buffer device_a(swizzled_tiles(halves(a), gemm.k, kRows));
      Buffer device_b(swizzled_tiles(halves(b), gemm.k, kColumns / gemm.ctas));
      Buffer<float> d(size_t(gemm.m) * gemm.n);
      launch(gemm.kernel, Shape{{gemm.grid}, {kThreads}}.with_shared(kStages * 2 * kTileBytes),
             device_a, device_b, d, gemm.m, gemm.n, gemm.k);
      if (fine)
        expect_near(d.values(), a, b);
      else
        EXPECT_SAME(d, product_of_lines(a, b));
    }
  }
}

TEST_P(Tcgen05Gemm, ScaledBlocks) {
  for (const Scaling& scaling : kScalings) {
    for (const int k : {256, 1024}) {
      SCOPED_TRACE(scaling.kernel + std::string(", k ") + std::to_string(k));
      constexpr int kM = 256, kN = 128;
      const Matrix a = e2m1_values(kM, k, 5), b = e2m1_values(kN, k, 6);
      const Matrix scales_a = scale_factors(a, scaling.block, scaling.factors, 7);
      const Matrix scales_b = scale_factors(b, scaling.block, scaling.factors, 8);
      Buffer device_a(swizzled_tiles(packed(encoded<uint8_t>(a, kE2m1)), k / 2, kRows));
      Buffer device_b(swizzled_tiles(packed(encoded<uint8_t>(b, kE2m1)), k / 2, kColumns));
      Buffer device_scales_a(scale_blocks(scaling.encode(scales_a), scales_a.columns));
      Buffer device_scales_b(scale_blocks(scaling.encode(scales_b), scales_b.columns));
      Buffer<float> d(size_t(kM) * kN);
      launch(scaling.kernel,
             Shape{{kN / kColumns, kM / kRows}, {kThreads}}.with_shared(
                 kStages * (2 * kTileBytes + kScaleBytes)),
             device_a, device_b, device_scales_a, device_scales_b, d, kN, k);
      EXPECT_SAME(d, product_of_lines(scaled(a, scales_a), scaled(b, scales_b)));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
