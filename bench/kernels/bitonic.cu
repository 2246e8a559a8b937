// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitonic sort of 1024 values per block in shared memory, two per thread.
#include "portable.h"

#define SIDE 1024

KERNEL((SIDE / 2, 1, 1)) bitonic(GLOBAL const int* in, GLOBAL int* out) {
  SHARED int values[SIDE];
  int thread = THREAD_X, base = BLOCK_X * SIDE;
  values[thread] = in[base + thread];
  values[thread + SIDE / 2] = in[base + thread + SIDE / 2];
  for (int size = 2; size <= SIDE; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * thread - (thread & (stride - 1)), high = low + stride;
      int a = values[low], b = values[high];
      if ((a > b) == ((low & size) == 0)) {
        values[low] = b;
        values[high] = a;
      }
    }
  }
  __syncthreads();
  out[base + thread] = values[thread];
  out[base + thread + SIDE / 2] = values[thread + SIDE / 2];
}
