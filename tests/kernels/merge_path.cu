// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging two sorted arrays: each thread finds its diagonal by binary search, then merges a few
// elements; and a plain lower bound.
#include "device.h"

extern "C" __global__ void merge_path(const int* a, int a_size, const int* b, int b_size, int* out,
                                      int per_thread) {
  int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
  if (diagonal >= a_size + b_size) return;
  int low = diagonal > b_size ? diagonal - b_size : 0;
  int high = diagonal < a_size ? diagonal : a_size;
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int i = low;
  int j = diagonal - low;
  for (int k = 0; k < per_thread && diagonal + k < a_size + b_size; ++k) {
    bool from_a = j >= b_size || (i < a_size && a[i] <= b[j]);
    out[diagonal + k] = from_a ? a[i++] : b[j++];
  }
}

extern "C" __global__ void lower_bounds(const float* sorted, int n, const float* keys, int* out,
                                        int count) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  int low = 0;
  int high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle] < keys[thread]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[thread] = low;
}
