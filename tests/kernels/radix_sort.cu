// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream compaction and a one-block radix sort: ballots give each lane its place.
#include "device.h"

// Keeps the values that pass, in any order between warps but dense; returns how many.
extern "C" __global__ void compact(const int* in, int n, int threshold, int* out, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] >= threshold;
  unsigned mask = __ballot_sync(~0u, keep);
  unsigned lane = threadIdx.x % 32;
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

// Sorts blockDim.x (whole warps) keys with their indices, 2 bits at a time; stable.
extern "C" __global__ void radix_sort_block(unsigned* keys, unsigned* indices) {
  __shared__ unsigned shared_keys[1024];
  __shared__ unsigned shared_indices[1024];
  __shared__ int counts[4][32];  // by digit, then by warp
  int thread = threadIdx.x;
  int lane = thread % 32;
  int warp = thread / 32;
  int warps = blockDim.x / 32;
  unsigned key = keys[blockIdx.x * blockDim.x + thread];
  unsigned index = thread;
  for (int shift = 0; shift < 32; shift += 2) {
    unsigned digit = key >> shift & 3;
    unsigned peers = 0;
    for (unsigned d = 0; d < 4; ++d) {
      unsigned same = __ballot_sync(~0u, digit == d);
      if (digit == d) peers = same;
      if (lane == 0) counts[d][warp] = __popc(same);
    }
    __syncthreads();
    int position = __popc(peers & ((1u << lane) - 1));
    for (unsigned d = 0; d <= digit; ++d) {
      int end = d < digit ? warps : warp;
      for (int w = 0; w < end; ++w) position += counts[d][w];
    }
    shared_keys[position] = key;
    shared_indices[position] = index;
    __syncthreads();
    key = shared_keys[thread];
    index = shared_indices[thread];
  }
  keys[blockIdx.x * blockDim.x + thread] = key;
  indices[blockIdx.x * blockDim.x + thread] = index;
}
