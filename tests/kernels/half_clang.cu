// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _Float16 as clang compiles it: operators on the type instead of inline PTX.
#include "device.h"

extern "C" __global__ void float16_polynomial(const _Float16* x, _Float16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  _Float16 v = x[i];
  out[i] = (v * v + (_Float16)0.5f) * v - (_Float16)2.0f;
}

extern "C" __global__ void float16_compare(const _Float16* x, const _Float16* y, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = (x[i] < y[i]) | (x[i] == y[i]) << 1 | (x[i] >= y[i]) << 2 | (x[i] != y[i]) << 3;
}

extern "C" __global__ void float16_from_integers(const int* in, _Float16* out, int* back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = (_Float16)in[i];
  back[i] = (int)((_Float16)in[i]);
}
