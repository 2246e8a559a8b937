// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A * B by mma.sync of halves: blocks of 128 x 128 elements, 64 x 64 for each warp.
#include "tiled_gemm.h"

// Row-major A, B and D, m and n multiples of 128.
extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_f16(Operand a, Operand b, int steps, float* d, int n) {
  multiply<F16, AlongK, AcrossK, 2>(a, b, steps).each([&](int row, int column, float(&sums)[4]) {
    *(float2*)&d[row * n + column] = float2{sums[0], sums[1]};
    *(float2*)&d[(row + 8) * n + column] = float2{sums[2], sums[3]};
  });
}
