// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block for each row computes its largest element, the sum of the powers, and the quotients.
#include "portable.h"

#define SIDE 256

KERNEL((SIDE, 1, 1)) softmax(int columns, GLOBAL const float* in, GLOBAL float* out) {
  const float log2_e = 1.44269504f;
  SHARED float tree[SIDE];
  int thread = THREAD_X;
  GLOBAL const float* row = in + BLOCK_X * columns;
  GLOBAL float* result = out + BLOCK_X * columns;

  float most = row[thread];
  for (int i = thread + SIDE; i < columns; i += SIDE) most = fmaxf(most, row[i]);
  tree[thread] = most;
  for (int width = SIDE / 2; width > 0; width /= 2) {
    __syncthreads();
    if (thread < width) tree[thread] = fmaxf(tree[thread], tree[thread + width]);
  }
  __syncthreads();
  most = tree[0];
  __syncthreads();

  float sum = 0;
  for (int i = thread; i < columns; i += SIDE) {
    float power = exp2_approx((row[i] - most) * log2_e);
    result[i] = power;
    sum += power;
  }
  tree[thread] = sum;
  for (int width = SIDE / 2; width > 0; width /= 2) {
    __syncthreads();
    if (thread < width) tree[thread] += tree[thread + width];
  }
  __syncthreads();
  float scale = 1.0f / tree[0];
  for (int i = thread; i < columns; i += SIDE) result[i] *= scale;
}
