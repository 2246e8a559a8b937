// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread, one element: the guard at the tail, an explicit fma, and every plain 32-bit integer
// operation.
#include "device.h"

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}

// No contraction here: a rounded product, then a rounded sum.
extern "C" __global__ void saxpy_two_roundings(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

constexpr int kResults = 14;

extern "C" __global__ void int_operations(int n, const int* a, const int* b, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i];
  int y = b[i];
  unsigned ux = x;
  unsigned uy = y;
  int* result = out + i * kResults;
  result[0] = ux + uy;
  result[1] = ux - uy;
  result[2] = ux * uy;
  result[3] = y == 0 ? 0 : (int)((long long)x / y);
  result[4] = y == 0 ? 0 : (int)((long long)x % y);
  result[5] = uy == 0 ? 0 : ux / uy;
  result[6] = uy == 0 ? 0 : ux % uy;
  result[7] = (x & y) ^ (x | ~y);
  result[8] = ux << (y & 31);
  result[9] = x >> (y & 31);
  result[10] = ux >> (y & 31);
  result[11] = x < y ? x : y;
  result[12] = ux > uy ? ux : uy;
  result[13] = x < 0 ? 0u - ux : ux;
}
