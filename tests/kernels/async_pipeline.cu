// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barrier objects and asynchronous copies of sm_80: producers and consumers, double buffering,
// arrivals by copies.
#include "barrier_object.h"

template <int kBytes>
static __device__ void copy_async(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :
               : "r"(shared_address(to)), "l"(from), "n"(kBytes)
               : "memory");
}

// A ring of two buffers. Warp 0 fills them with cp.async, whose completion arrives at `full`; the
// other warps add up the contents and arrive at `empty`. out[thread] gets its sum.
extern "C" __global__ void produce_and_consume(const unsigned* in, unsigned* out, int rounds) {
  __shared__ unsigned buffer[2][32];
  __shared__ unsigned long long full[2], empty[2];
  int thread = threadIdx.x, consumers = blockDim.x - 32;
  if (thread == 0) {
    for (int i = 0; i < 2; ++i) {
      barrier_init(&full[i], 32);
      barrier_init(&empty[i], consumers);
    }
  }
  __syncthreads();
  if (thread < 32) {
    for (int round = 0; round < rounds; ++round) {
      int slot = round & 1;
      // The first two rounds find their buffers empty: the phase before the first one is over.
      while (!barrier_test_parity(&empty[slot], ((round >> 1) & 1) ^ 1)) {
      }
      copy_async<4>(&buffer[slot][thread], &in[round * 32 + thread]);
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
                   :
                   : "r"(shared_address(&full[slot]))
                   : "memory");
    }
  } else {
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) {
      int slot = round & 1;
      while (!barrier_test_parity(&full[slot], (round >> 1) & 1)) {
      }
      for (int i = 0; i < 32; ++i) sum = sum * 31 + buffer[slot][(i + thread) % 32];
      barrier_arrive(&empty[slot]);
    }
    out[blockIdx.x * consumers + thread - 32] = sum;
  }
}

// c = a * b for n x n matrices, n a multiple of 16, blocks of 16 x 16: the next tiles are copied
// while the current ones are multiplied.
extern "C" __global__ void matmul_double_buffered(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][16][16], bs[2][16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  auto fetch = [&](int tile) {
    copy_async<4>(&as[tile & 1][y][x], &a[row * n + tile * 16 + x]);
    copy_async<4>(&bs[tile & 1][y][x], &b[(tile * 16 + y) * n + column]);
    asm volatile("cp.async.commit_group;" : : : "memory");
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < n / 16; ++tile) {
    if (tile + 1 < n / 16) {
      fetch(tile + 1);
      asm volatile("cp.async.wait_group 1;" : : : "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" : : : "memory");
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[tile & 1][y][k] * bs[tile & 1][k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Copies of every size, one of which ignores its source, and one that is cut short.
extern "C" __global__ void copy_sizes(const unsigned char* in, unsigned char* out) {
  alignas(16) __shared__ unsigned char buffer[64];
  if (threadIdx.x == 0) {
    copy_async<4>(buffer, in + 16);
    copy_async<8>(buffer + 8, in + 8);
    copy_async<16>(buffer + 16, in);
    for (int i = 4; i < 8; ++i) buffer[i] = 0xee;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(shared_address(buffer + 32)), "l"(in), "r"(11)
                 : "memory");
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.u32 p, %2, 0;\n\t"
        "cp.async.cg.shared.global [%0], [%1], 16, p;\n\t"
        "}"
        :
        : "r"(shared_address(buffer + 48)), "l"(in), "r"(blockDim.x)
        : "memory");
  }
  asm volatile("cp.async.wait_all;" : : : "memory");
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x];
}

// Each thread drops out of the barrier in the round of its number; the states give the pending
// counts. `rounds` counts the rounds of each thread.
extern "C" __global__ void leave_one_by_one(unsigned* rounds, unsigned* pending) {
  __shared__ unsigned long long barrier;
  unsigned thread = threadIdx.x, count = 0;
  if (thread == 0) barrier_init(&barrier, blockDim.x);
  __syncthreads();
  for (; count < thread; ++count) {
    unsigned long long state = barrier_arrive(&barrier);
    while (!barrier_test(&barrier, state)) {
    }
  }
  unsigned long long state;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(shared_address(&barrier))
               : "memory");
  rounds[thread] = count;
  if (thread + 1 == blockDim.x) {
    // The last one was alone.
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(*pending) : "l"(state));
  }
}

// pending[i] is the number of pending arrivals before arrival i, which has .noComplete except for
// the last one.
extern "C" __global__ void count_down(unsigned* pending, unsigned n) {
  __shared__ unsigned long long barrier;
  barrier_init(&barrier, n);
  unsigned long long state, address = (unsigned long long)&barrier;
  for (unsigned i = 0; i + 1 < n; ++i) {
    asm volatile("mbarrier.arrive.noComplete.b64 %0, [%1], 1;"
                 : "=l"(state)
                 : "l"(address)
                 : "memory");
    unsigned count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    pending[i] = count;
  }
  state = barrier_arrive(&barrier);
  pending[n - 1] = barrier_test(&barrier, state);
  barrier_inval(&barrier);
}
