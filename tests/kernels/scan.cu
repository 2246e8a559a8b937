// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums: over a block through shared memory, over a warp by shuffles, and the two combined.
#include "device.h"

// Inclusive, Hillis and Steele; any block size; dynamic shared memory: two words per thread.
extern "C" __global__ void scan_block(const unsigned* in, unsigned* out) {
  extern __shared__ unsigned buffers[];
  int n = blockDim.x;
  int i = threadIdx.x;
  unsigned* from = buffers;
  unsigned* to = buffers + n;
  from[i] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    to[i] = i >= offset ? from[i] + from[i - offset] : from[i];
    __syncthreads();
    unsigned* swap = from;
    from = to;
    to = swap;
  }
  out[blockIdx.x * n + i] = from[i];
}

// Inclusive within segments of `width` lanes.
extern "C" __global__ void scan_warp(const unsigned* in, unsigned* out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % width;
  unsigned sum = in[i];
  for (int offset = 1; offset < width; offset *= 2) {
    unsigned below = __shfl_up_sync(~0u, sum, offset, width);
    if (lane >= offset) sum += below;
  }
  out[i] = sum;
}

// Exclusive over a whole block of up to 32 warps of 64-bit values.
extern "C" __global__ void scan_block_by_warps(const unsigned long long* in,
                                               unsigned long long* out) {
  __shared__ unsigned long long warp_totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  unsigned long long value = in[i];
  unsigned long long sum = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    unsigned long long below = __shfl_up_sync(~0u, sum, offset);
    if (lane >= offset) sum += below;
  }
  if (lane == 31) warp_totals[warp] = sum;
  __syncthreads();
  unsigned long long base = 0;
  for (int w = 0; w < warp; ++w) base += warp_totals[w];
  out[i] = base + sum - value;
}
