// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms of bytes: with atomics on global memory, and with a private copy in shared memory.
#include "device.h"

extern "C" __global__ void histogram_global(const unsigned char* data, int n, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[data[i]], 1u);
  }
}

extern "C" __global__ void histogram_shared(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }
}

// Every element takes a place of its own in its bin: the returned value of the atomic matters.
extern "C" __global__ void scatter_to_bins(const unsigned char* data, int n, unsigned* cursors,
                                           unsigned* order) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) order[atomicAdd(&cursors[data[i]], 1u)] = i;
}
