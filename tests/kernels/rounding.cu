// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IEEE arithmetic in all four rounding modes, and rounding to integers.
#include "device.h"

constexpr int kResults = 6;

#define ROUNDED_OPERATIONS(mode)                                                                  \
  extern "C" __global__ void rounded_##mode(const float* a, const float* b, const float* c,       \
                                            float* out, int n) {                                  \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                \
    if (i >= n) return;                                                                           \
    float* result = out + i * kResults;                                                           \
    result[0] = __fadd_##mode(a[i], b[i]);                                                        \
    result[1] = __fmul_##mode(a[i], b[i]);                                                        \
    result[2] = __fdiv_##mode(a[i], b[i]);                                                        \
    result[3] = __fsqrt_##mode(fabsf(a[i]));                                                      \
    result[4] = __frcp_##mode(b[i]);                                                              \
    result[5] = __fmaf_##mode(a[i], b[i], c[i]);                                                  \
  }                                                                                               \
  extern "C" __global__ void rounded_double_##mode(const double* a, const double* b, double* out, \
                                                   int n) {                                       \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                \
    if (i >= n) return;                                                                           \
    out[i * 4 + 0] = __dadd_##mode(a[i], b[i]);                                                   \
    out[i * 4 + 1] = __dmul_##mode(a[i], b[i]);                                                   \
    out[i * 4 + 2] = __ddiv_##mode(a[i], b[i]);                                                   \
    out[i * 4 + 3] = __dsqrt_##mode(fabs(a[i]));                                                  \
  }
ROUNDED_OPERATIONS(rn)
ROUNDED_OPERATIONS(rz)
ROUNDED_OPERATIONS(rd)
ROUNDED_OPERATIONS(ru)

extern "C" __global__ void whole_numbers(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i * 5 + 0] = floorf(in[i]);
  out[i * 5 + 1] = ceilf(in[i]);
  out[i * 5 + 2] = truncf(in[i]);
  out[i * 5 + 3] = fminf(in[i], 0.5f);
  out[i * 5 + 4] = fmaxf(in[i], -0.5f);
}
