// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through a padded tile in shared memory; four rows per thread.
#include "portable.h"

KERNEL((32, 8, 1))
transpose(int width, int height, GLOBAL const unsigned* in, GLOBAL unsigned* out) {
  SHARED unsigned tile[32][33];
  int x = BLOCK_X * 32 + THREAD_X, y = BLOCK_Y * 32 + THREAD_Y;
  for (int i = 0; i < 32; i += 8) tile[THREAD_Y + i][THREAD_X] = in[(y + i) * width + x];
  __syncthreads();
  x = BLOCK_Y * 32 + THREAD_X, y = BLOCK_X * 32 + THREAD_Y;
  for (int i = 0; i < 32; i += 8) out[(y + i) * height + x] = tile[THREAD_X][THREAD_Y + i];
}
