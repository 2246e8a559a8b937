// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element per thread, and a tail to guard.
#include "portable.h"

KERNEL((256, 1, 1)) saxpy(int n, float a, GLOBAL const float* x, GLOBAL float* y) {
  int i = BLOCK_X * 256 + THREAD_X;
  if (i < n) y[i] = fmaf(a, x[i], y[i]);
}
