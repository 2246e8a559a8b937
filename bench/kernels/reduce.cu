// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of each block's elements, `each` of them per thread: shuffles, then one warp over the
// warps' sums. OpenCL 1.2 has no shuffles: a tree in shared memory.
#include "portable.h"

#define SIDE 256

KERNEL((SIDE, 1, 1)) block_sums(int each, GLOBAL const float* x, GLOBAL float* sums) {
  int thread = THREAD_X;
  GLOBAL const float* mine = x + (BLOCK_X * SIDE * each + thread);
  float sum = 0;
  for (int i = 0; i < each; ++i) sum += mine[i * SIDE];
#ifdef __OPENCL_VERSION__
  SHARED float tree[SIDE];
  tree[thread] = sum;
  for (int width = SIDE / 2; width > 0; width /= 2) {
    __syncthreads();
    if (thread < width) tree[thread] += tree[thread + width];
  }
  sum = tree[0];
#else
  SHARED float of_warps[SIDE / 32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (thread % 32 == 0) of_warps[thread / 32] = sum;
  __syncthreads();
  if (thread >= 32) return;
  sum = thread < SIDE / 32 ? of_warps[thread] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
#endif
  if (thread == 0) sums[BLOCK_X] = sum;
}
