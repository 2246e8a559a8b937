// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named barriers: groups of warps of one block synchronize independently, and a producer arrives
// without waiting (PTX ISA 9.7.13.1). Whole warps only.
#include "device.h"

static __device__ void barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
static __device__ void barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Each group of 64 threads reverses its own part, through barrier 1 + group; the groups loop a
// different number of times.
extern "C" __global__ void reverse_in_groups(int* values) {
  __shared__ int shared[1024];
  int i = threadIdx.x;
  int group = i / 64;
  int* mine = values + blockIdx.x * blockDim.x;
  shared[i] = mine[i];
  for (int round = 0; round <= 2 * group; ++round) {
    barrier_sync(1 + group, 64);
    int other = shared[group * 64 + 63 - i % 64];
    barrier_sync(1 + group, 64);
    shared[i] = other;
  }
  mine[i] = shared[i];
}

// Warp 0 produces numbers into a slot, warp 1 consumes them; "full" is barrier 1, "empty" is 2.
extern "C" __global__ void produce_and_consume(int* out, int rounds) {
  __shared__ int slot[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int sum = 0;
  if (warp == 0) {
    for (int round = 0; round < rounds; ++round) {
      barrier_sync(2, 64);
      slot[lane] = round * 100 + lane + blockIdx.x;
      __threadfence_block();
      barrier_arrive(1, 64);
    }
  } else if (warp == 1) {
    for (int round = 0; round < rounds; ++round) {
      barrier_arrive(2, 64);
      barrier_sync(1, 64);
      sum = sum * 3 + slot[31 - lane];
    }
    out[blockIdx.x * 32 + lane] = sum;
  }
}

// bar.red: the reduction over a group only.
extern "C" __global__ void count_in_groups(const int* values, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int group = threadIdx.x / 64;
  int count;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.gt.s32 p, %1, 0;\n\t"
      "bar.red.popc.u32 %0, %2, 64, p;\n\t"
      "}"
      : "=r"(count)
      : "r"(values[i]), "r"(1 + group)
      : "memory");
  out[i] = count;
}
