// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes counted with atomics on the block's bins, which are added to the grid's bins at the end.
#include "portable.h"

KERNEL((256, 1, 1))
histogram(int n, GLOBAL const unsigned char* data, GLOBAL unsigned* bins) {
  SHARED unsigned own[256];
  own[THREAD_X] = 0;
  __syncthreads();
  for (int i = BLOCK_X * 256 + THREAD_X; i < n; i += GRID_X * 256) add_shared(&own[data[i]], 1u);
  __syncthreads();
  add_global(&bins[THREAD_X], own[THREAD_X]);
}
