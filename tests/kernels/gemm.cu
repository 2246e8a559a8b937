// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products in the ways of libraries for sm_80 and sm_89: multistage copies, ldmatrix,
// mma.sync.
#include "scaled_gemm.h"

SCALED_PRODUCT(f16_nn, F16, AcrossK, AlongK)
SCALED_PRODUCT(f16_tt, F16, AlongK, AcrossK)
SCALED_PRODUCT(bf16_tn, Bf16, AlongK, AlongK)
SCALED_PRODUCT(tf32_tn, Tf32, AlongK, AlongK)
SCALED_PRODUCT(e5m2e4m3_tn, E5m2E4m3, AlongK, AlongK)

// D += A * B, with a part of k in each z of the grid.
extern "C" __global__ void __launch_bounds__(kThreads)
    f16_split(Operand a, Operand b, int steps, float* d, int m, int n) {
  Accumulators<F16> sums;
  int first = blockIdx.z * steps / gridDim.z, last = (blockIdx.z + 1) * steps / gridDim.z;
  multiply<AlongK, AcrossK>(sums, a, b, first, last);
  sums.each([&](int row, int column, float(&part)[4]) {
    for (int i = 0; i < 4; ++i) {
      int r = row + i / 2 * 8, c = column + i % 2;
      if (r < m && c < n)
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;"
                     :
                     : "l"(&d[r * n + c]), "f"(part[i])
                     : "memory");
    }
  });
}

// D in halves, column major: movmatrix transposes each 8 x 8 matrix, so that a lane has two
// elements of a column. m is even.
extern "C" __global__ void __launch_bounds__(kThreads)
    f16_to_columns(Operand a, Operand b, int steps, unsigned* d, int m, int n) {
  multiply<F16Halves, AlongK, AcrossK>(a, b, steps)
      .each([&](int row, int column, unsigned(&sums)[2]) {
        int lane = threadIdx.x % 32;
        int c = column - lane % 4 * 2 + lane / 4;
        for (int i = 0; i < 2; ++i) {
          unsigned pair;
          asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(pair) : "r"(sums[i]));
          int r = row - lane / 4 + lane % 4 * 2 + i * 8;
          if (r < m && c < n) d[(c * m + r) / 2] = pair;
        }
      });
}

WHOLE_PRODUCT(s8_tn, S8)
WHOLE_PRODUCT(u8s8_tn, U8S8)
WHOLE_PRODUCT(s4_tn, S4)
WHOLE_PRODUCT(b1_tn, B1Xor)

// D in signed bytes: the sums with a bias, scaled for each column, rounded and saturated. Two lanes
// put their pairs of columns together. Rows of D are a multiple of 4 bytes.
extern "C" __global__ void __launch_bounds__(kThreads)
    s8_requantized(Operand a, Operand b, int steps, unsigned* d, int m, int n, const int* bias,
                   const float* scale, int zero) {
  multiply<S8, AlongK, AlongK>(a, b, steps).each([&](int row, int column, int(&sums)[4]) {
    int scaled[4];
    for (int i = 0; i < 4; ++i) {
      int c = column + i % 2;
      float value = c < n ? float(sums[i] + bias[c]) * scale[c] : 0;
      asm("cvt.rni.s32.f32 %0, %1;" : "=r"(scaled[i]) : "f"(value));
      scaled[i] += zero;
    }
    // Even lanes take the upper row from both, odd lanes the lower one.
    bool odd = threadIdx.x % 2;
    int other[2];
    for (int i = 0; i < 2; ++i) {
      other[i] = __shfl_xor_sync(0xffffffffu, odd ? scaled[i] : scaled[2 + i], 1);
    }
    int quad[4] = {odd ? other[0] : scaled[0], odd ? other[1] : scaled[1],
                   odd ? scaled[2] : other[0], odd ? scaled[3] : other[1]};
    unsigned bytes;
    asm("{\n\t"
        ".reg .u32 high;\n\t"
        "cvt.pack.sat.s8.s32.b32 high, %4, %3, 0;\n\t"
        "cvt.pack.sat.s8.s32.b32 %0, %2, %1, high;\n\t"
        "}"
        : "=r"(bytes)
        : "r"(quad[0]), "r"(quad[1]), "r"(quad[2]), "r"(quad[3]));
    int r = row + (odd ? 8 : 0), c = column & ~3;
    if (r < m && c < n) d[(r * ((n + 3) & ~3) + c) / 4] = bytes;
  });
}
