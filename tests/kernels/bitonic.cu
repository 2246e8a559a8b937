// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitonic sort: within a block through shared memory, and one compare-exchange pass over a big
// array.
#include "device.h"

// Sorts blockDim.x values (a power of two) per block, ascending. Dynamic shared: one int per
// thread.
extern "C" __global__ void bitonic_block(int* values) {
  extern __shared__ int shared[];
  unsigned i = threadIdx.x;
  int* mine = values + blockIdx.x * blockDim.x;
  shared[i] = mine[i];
  __syncthreads();
  for (unsigned size = 2; size <= blockDim.x; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      unsigned partner = i ^ stride;
      if (partner > i) {
        bool ascending = (i & size) == 0;
        if ((shared[i] > shared[partner]) == ascending) {
          int swap = shared[i];
          shared[i] = shared[partner];
          shared[partner] = swap;
        }
      }
      __syncthreads();
    }
  }
  mine[i] = shared[i];
}

// One pass over n values (a power of two); the host runs the two outer loops.
extern "C" __global__ void bitonic_pass(int* values, unsigned n, unsigned size, unsigned stride) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned partner = i ^ stride;
  if (i >= n || partner < i) return;
  bool ascending = (i & size) == 0;
  int a = values[i];
  int b = values[partner];
  if ((a > b) == ascending) {
    values[i] = b;
    values[partner] = a;
  }
}

// Sorts each warp's 32 values with shuffles only.
extern "C" __global__ void bitonic_warp(int* values) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32;
  int value = values[i];
  for (unsigned size = 2; size <= 32; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      int other = __shfl_xor_sync(~0u, value, stride);
      bool ascending = (lane & size) == 0;
      bool lower = (lane & stride) == 0;
      bool keep_smaller = ascending == lower;
      value = (value < other) == keep_smaller ? value : other;
    }
  }
  values[i] = value;
}
