// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion that no compiler can unroll away: every call makes a frame, lanes are at different
// depths at the same time.
#include "device.h"

static __device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void fibonacci_each(const unsigned* n, unsigned* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = fibonacci(n[i]);
}

static __device__ __noinline__ unsigned ackermann(unsigned m, unsigned n, unsigned* calls) {
  ++*calls;
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1, calls);
  return ackermann(m - 1, ackermann(m, n - 1, calls), calls);
}

extern "C" __global__ void ackermann_each(const uint2* arguments, uint2* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned calls = 0;
  out[i].x = ackermann(arguments[i].x, arguments[i].y, &calls);
  out[i].y = calls;
}

// Mutual recursion with local state in each frame.
static __device__ __noinline__ int odd_depth(const int* tree, int node, int size);
static __device__ __noinline__ int even_depth(const int* tree, int node, int size) {
  if (node >= size) return 0;
  return tree[node] + odd_depth(tree, 2 * node + 1, size) + odd_depth(tree, 2 * node + 2, size);
}
static __device__ __noinline__ int odd_depth(const int* tree, int node, int size) {
  if (node >= size) return 0;
  int left = even_depth(tree, 2 * node + 1, size);
  return left - tree[node] + even_depth(tree, 2 * node + 2, size);
}

extern "C" __global__ void alternating_tree_sum(const int* tree, int size, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = even_depth(tree, i, size);
}

// In-place quicksort of each thread's own part.
static __device__ __noinline__ void quicksort(int* values, int low, int high) {
  if (low >= high) return;
  int pivot = values[(low + high) / 2];
  int i = low;
  int j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i > j) break;
    int swap = values[i];
    values[i++] = values[j];
    values[j--] = swap;
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}

extern "C" __global__ void quicksort_each(int* values, int length, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) quicksort(values + i * length, 0, length - 1);
}
