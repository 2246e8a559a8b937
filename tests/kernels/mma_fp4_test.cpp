// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of e2m1 with scale factors for blocks (sm_120a).
#include "matrix_operands.h"

namespace heddle::kernels {
namespace {

KERNEL_SUITE(MmaFp4, "mma_fp4");

TEST_P(MmaFp4, ScaledBlocks) {
  for (const Scaling& scaling : kScalings) {
    for (const int k : {128, 640}) {
      SCOPED_TRACE(scaling.kernel + std::string(", k ") + std::to_string(k));
      constexpr int kM = 128, kN = 96;
      const Matrix a = e2m1_values(kM, k, 1), b = e2m1_values(kN, k, 2);
      const Matrix scales_a = scale_factors(a, scaling.block, scaling.factors, 3);
      const Matrix scales_b = scale_factors(b, scaling.block, scaling.factors, 4);
      Buffer device_a(packed(encoded<uint8_t>(a, kE2m1))),
          device_b(packed(encoded<uint8_t>(b, kE2m1)));
      Buffer device_scales_a(scaling.encode(scales_a));
      Buffer device_scales_b(scaling.encode(scales_b));
      Buffer<float> d(size_t(kM) * kN);
      launch(scaling.kernel, Shape{{kN / 32, kM / 64}, {128}}, device_a, device_b, device_scales_a,
             device_scales_b, d, kN, k);
      EXPECT_SAME(d, product_of_lines(scaled(a, scales_a), scaled(b, scales_b)));
    }
  }
}

}  // namespace
}  // namespace heddle::kernels
