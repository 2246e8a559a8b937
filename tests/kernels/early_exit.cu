// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that exit before a barrier do not block the others: the barrier counts the remaining
// threads (PTX ISA 9.7.13.1).
#include "device.h"

extern "C" __global__ void exit_then_barrier(const int* values, int* out, int stay) {
  __shared__ int shared[1024];
  int i = threadIdx.x;
  if (i >= stay) return;
  shared[i] = values[blockIdx.x * blockDim.x + i];
  __syncthreads();
  out[blockIdx.x * blockDim.x + i] = shared[stay - 1 - i];
}

// In every round of the loop some threads exit, and each round ends with a barrier.
extern "C" __global__ void leave_one_by_one(int* arrivals) {
  __shared__ int here;
  if (threadIdx.x == 0) here = 0;
  __syncthreads();
  for (int round = 0; round < blockDim.x; ++round) {
    atomicAdd(&here, 1);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1 - round) arrivals[blockIdx.x * blockDim.x + round] = here;
    __syncthreads();
    if (threadIdx.x >= blockDim.x - 1 - round) return;
    if (threadIdx.x == 0) here = 0;
    __syncthreads();
  }
}

// Barriers that reduce a predicate.
extern "C" __global__ void barrier_reductions(const int* values, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = __syncthreads_count(values[i] > 0);
  int all = __syncthreads_and(values[i] != 7);
  int any = __syncthreads_or(values[i] == 9);
  out[i] = count * 4 + (all != 0) * 2 + (any != 0);
}
