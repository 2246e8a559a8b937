// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks. Between the lanes of one warp they need independent thread scheduling: the lane that holds
// the lock must make progress while its warp mates spin.
#include "device.h"

static __device__ void acquire(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}

static __device__ void release(int* lock) {
  __threadfence();
  *(volatile int*)lock = 0;
}

// Every thread of every block adds to a plain counter under one lock in global memory.
extern "C" __global__ void count_under_lock(int* lock, volatile unsigned* counter, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    acquire(lock);
    *counter = *counter * 3 + 1;
    release(lock);
  }
}

// The same with a lock and a counter per block in shared memory.
extern "C" __global__ void count_under_shared_lock(unsigned* counters, int rounds) {
  __shared__ int lock;
  __shared__ volatile unsigned counter;
  if (threadIdx.x == 0) {
    lock = 0;
    counter = 0;
  }
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    acquire(&lock);
    counter = counter + 1;
    release(&lock);
  }
  __syncthreads();
  if (threadIdx.x == 0) counters[blockIdx.x] = counter;
}

// A ticket lock: threads enter in the order of their tickets, and log it.
extern "C" __global__ void ticket_lock(unsigned* next_ticket, volatile unsigned* now_serving,
                                       volatile unsigned* log) {
  unsigned ticket = atomicAdd(next_ticket, 1u);
  while (*now_serving != ticket) {
  }
  __threadfence();
  log[ticket] = ticket * 7 + 1;
  __threadfence();
  *now_serving = ticket + 1;
}

// Lane i of each warp waits for the flag of lane i + 1: only the last lane starts free.
extern "C" __global__ void chain_within_warp(volatile int* flags, int* order, int* position) {
  int i = threadIdx.x;
  if (i + 1 < blockDim.x) {
    while (flags[i + 1] == 0) {
    }
  }
  order[i] = atomicAdd(position, 1);
  __threadfence_block();
  flags[i] = 1;
}
