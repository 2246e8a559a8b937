// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x for a sparse A in compressed rows, one row per thread: rows of unequal length, addresses
// from memory.
#include "portable.h"

KERNEL((128, 1, 1))
spmv(int rows, GLOBAL const int* begins, GLOBAL const int* columns, GLOBAL const float* values,
     GLOBAL const float* x, GLOBAL float* y) {
  int row = BLOCK_X * 128 + THREAD_X;
  if (row >= rows) return;
  float sum = 0;
  for (int i = begins[row]; i < begins[row + 1]; ++i) sum = fmaf(values[i], x[columns[i]], sum);
  y[row] = sum;
}
