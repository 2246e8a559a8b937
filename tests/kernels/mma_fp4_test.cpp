// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of e2m1 with scale factors for blocks (sm_120a).
#include "matrix_operands.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(MmaFp4, "mma_fp4");

struct ScaledCase {
  const char* kernel;
  int block;  // elements that have one scale factor
  std::vector<float> factors;
  uint8_t (*encode)(float);
};

TEST_P(MmaFp4, ScaledBlocks) {
  const ScaledCase cases[] = {{"gemm_nvfp4", 16, {0.5, 1, 1.5, 2}, e4m3_bits},
                              {"gemm_mxfp4", 32, {0.25, 0.5, 1, 2, 4}, ue8m0_bits}};
  for (const ScaledCase& scaling : cases) {
    for (const int k : {128, 640}) {
      SCOPED_TRACE(scaling.kernel + std::string(", k ") + std::to_string(k));
      constexpr int kM = 128, kN = 96;
      const Lines a = e2m1_operand(kM, k, 1), b = e2m1_operand(kN, k, 2);
      const Lines scales_a = scale_factors(a, scaling.block, scaling.factors, 3);
      const Lines scales_b = scale_factors(b, scaling.block, scaling.factors, 4);
      Buffer device_a(packed(encoded(a, e2m1_bits))), device_b(packed(encoded(b, e2m1_bits)));
      Buffer device_scales_a(encoded(scales_a, scaling.encode));
      Buffer device_scales_b(encoded(scales_b, scaling.encode));
      Buffer<float> d(size_t(kM) * kN);
      launch(scaling.kernel, Shape{{kN / 32, kM / 64}, {128}}, device_a, device_b, device_scales_a,
             device_scales_b, d, kN, k);
      EXPECT_SAME(d, product(scaled(a, scales_a), scaled(b, scales_b)));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
