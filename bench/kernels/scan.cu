// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive prefix sums in three launches: within blocks, over the blocks' totals (one block), and
// the totals before a block to its elements. Hillis and Steele, in shared memory.
#include "portable.h"

#define SIDE 1024

KERNEL((SIDE, 1, 1))
scan_blocks(int n, GLOBAL const unsigned* in, GLOBAL unsigned* out, GLOBAL unsigned* totals) {
  SHARED unsigned from[2][SIDE];
  int thread = THREAD_X, i = BLOCK_X * SIDE + thread;
  int now = 0;
  from[0][thread] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < SIDE; offset *= 2, now = 1 - now) {
    unsigned sum = from[now][thread];
    if (thread >= offset) sum += from[now][thread - offset];
    from[1 - now][thread] = sum;
    __syncthreads();
  }
  if (i < n) out[i] = from[now][thread];
  if (thread == SIDE - 1) totals[BLOCK_X] = from[now][thread];
}

KERNEL((SIDE, 1, 1)) scan_add(int n, GLOBAL const unsigned* totals, GLOBAL unsigned* out) {
  int i = BLOCK_X * SIDE + THREAD_X;
  if (BLOCK_X > 0 && i < n) out[i] += totals[BLOCK_X - 1];
}
