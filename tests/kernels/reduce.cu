// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums: a tree in shared memory, and a warp shuffle ladder with one shared word per warp.
#include "device.h"

// Any block size; dynamic shared memory holds one word per thread.
extern "C" __global__ void reduce_tree(const unsigned* values, int n, unsigned* sums) {
  extern __shared__ unsigned tree[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tree[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1;) {
    unsigned half = (width + 1) / 2;
    if (threadIdx.x + half < width) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
    width = half;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}

// Whole warps only. The floating-point order is part of the contract: the test adds the same way.
extern "C" __global__ void reduce_shuffle(const float* values, int n, float* sums) {
  __shared__ float warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  float sum = i < n ? values[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0) warp_sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) sums[blockIdx.x] = sum;
}

// The grid's last block to finish adds the blocks' results: fences and an atomic ticket.
__device__ unsigned finished_blocks;

extern "C" __global__ void reduce_last_block(const unsigned* values, int n,
                                             volatile unsigned* partial, unsigned* total) {
  __shared__ unsigned block_sum;
  __shared__ bool last;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += values[i];
  }
  atomicAdd(&block_sum, sum);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = block_sum;
    __threadfence();
    last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    unsigned sum_of_sums = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) sum_of_sums += partial[block];
    *total = sum_of_sums;
  }
}
