// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix-2 FFT in shared memory with twiddle factors from a table; float2 loads and stores. Every
// product and sum is rounded on its own, so the host repeats it exactly.
#include "device.h"

// n points per block, n a power of two, n / 2 threads; twiddles[k] = exp(-2 pi i k / n). Dynamic
// shared memory: n float2.
extern "C" __global__ void fft(const float2* in, float2* out, const float2* twiddles, int n) {
  extern __shared__ float2 points[];
  int thread = threadIdx.x;
  int bits = 31 - __clz(n);
  for (int i = thread; i < n; i += blockDim.x) {
    points[__brev(i) >> (32 - bits)] = in[blockIdx.x * n + i];
  }
  __syncthreads();
  for (int half = 1; half < n; half *= 2) {
    int low = thread / half * half * 2 + thread % half;
    float2 w = twiddles[thread % half * (n / 2 / half)];
    float2 a = points[low];
    float2 b = points[low + half];
    float2 product = {b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x};
    points[low] = {a.x + product.x, a.y + product.y};
    points[low + half] = {a.x - product.x, a.y - product.y};
    __syncthreads();
  }
  for (int i = thread; i < n; i += blockDim.x) out[blockIdx.x * n + i] = points[i];
}
