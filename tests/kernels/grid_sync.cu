// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cooperative grid: all of its blocks meet at a barrier made of atomics. With nvcc's headers also
// the grid barrier of cooperative_groups.
#include "device.h"

__device__ unsigned arrived, generation;

static __device__ void grid_barrier() {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned mine = *(volatile unsigned*)&generation;
    __threadfence();
    if (atomicAdd(&arrived, 1u) + 1 == gridDim.x) {
      arrived = 0;
      __threadfence();
      atomicAdd(&generation, 1u);
    } else {
      while (*(volatile unsigned*)&generation == mine) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

// Each step makes every element the sum of itself and the one `1, 2, 4, ...` before it: a prefix
// sum over the grid. `values` has two halves of gridDim.x * blockDim.x.
extern "C" __global__ void grid_scan(unsigned* values) {
  unsigned count = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *from = values, *to = values + count;
  for (unsigned distance = 1; distance < count; distance *= 2) {
    to[i] = from[i] + (i >= distance ? from[i - distance] : 0);
    grid_barrier();
    unsigned* swap = from;
    from = to;
    to = swap;
  }
  if (from != values) values[i] = from[i];
}
