// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that came with sm_80: a warp reduction in one instruction, and asynchronous copies
// into shared memory.
#include "barrier_object.h"

#define REDUX(operation, result, value) \
  asm volatile("redux.sync." operation " %0, %1, 0xffffffff;" : "=r"(result) : "r"(value))

extern "C" __global__ void warp_redux(const unsigned* values, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned r[6];
  REDUX("add.u32", r[0], values[i]);
  REDUX("min.s32", r[1], values[i]);
  REDUX("max.u32", r[2], values[i]);
  REDUX("and.b32", r[3], values[i]);
  REDUX("or.b32", r[4], values[i]);
  REDUX("xor.b32", r[5], values[i]);
  for (int k = 0; k < 6; ++k) out[i * 6 + k] = r[k];
}

// Copies 16 bytes per thread in two committed groups, and reads each group as soon as it has
// arrived. The last thread of each block copies only 4 bytes of its 16; the rest is zero-filled.
extern "C" __global__ void async_copy(const uint4* in, uint4* out) {
  __shared__ uint4 buffer[2][256];
  int thread = threadIdx.x;
  for (int half = 0; half < 2; ++half) {
    const uint4* from = &in[(blockIdx.x * 2 + half) * blockDim.x + thread];
    unsigned bytes = thread == blockDim.x - 1 ? 4 : 16;
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;\n\t"
        "cp.async.commit_group;"
        :
        : "r"(shared_address(&buffer[half][thread])), "l"(from), "r"(bytes)
        : "memory");
  }
  int other = blockDim.x - 1 - thread;
  asm volatile("cp.async.wait_group 1;" : : : "memory");
  __syncthreads();
  out[blockIdx.x * 2 * blockDim.x + thread] = buffer[0][other];
  asm volatile("cp.async.wait_all;" : : : "memory");
  __syncthreads();
  out[(blockIdx.x * 2 + 1) * blockDim.x + thread] = buffer[1][other];
}
