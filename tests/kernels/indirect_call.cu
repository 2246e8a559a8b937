// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through pointers: a table in global memory initialised with function addresses, a different
// target in each lane, and a virtual function.
#include "device.h"

using Operation = int (*)(int, int);

static __device__ __noinline__ int add(int a, int b) { return (unsigned)a + b; }
static __device__ __noinline__ int subtract(int a, int b) { return (unsigned)a - b; }
static __device__ __noinline__ int multiply(int a, int b) { return (unsigned)a * b; }
static __device__ __noinline__ int larger(int a, int b) { return a > b ? a : b; }

__device__ Operation operations[] = {add, subtract, multiply, larger};

extern "C" __global__ void apply_operations(const int* which, const int* a, const int* b, int* out,
                                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operations[which[i] & 3](a[i], b[i]);
}

// A fold whose step is a parameter: the pointer stays uniform in the block.
static __device__ __noinline__ int fold(Operation step, const int* values, int n, int start) {
  for (int i = 0; i < n; ++i) start = step(start, values[i]);
  return start;
}

extern "C" __global__ void fold_with(const int* values, int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fold(operations[blockIdx.x & 3], values, n, threadIdx.x);
}

struct Animal {
  __device__ virtual int legs(int) const { return -1; }
};
struct Bird : Animal {
  __device__ int legs(int many) const override { return 2 * many; }
};
struct Spider : Animal {
  int lost;
  __device__ explicit Spider(int lost) : lost(lost) {}
  __device__ int legs(int many) const override { return 8 * many - lost; }
};

static __device__ __noinline__ int count_legs(const Animal& animal, int many) {
  return animal.legs(many);
}

extern "C" __global__ void count_all_legs(int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Bird bird;
  Spider spider(i % 5);
  const Animal& animal = i % 3 == 0 ? (const Animal&)spider : (const Animal&)bird;
  out[i] = count_legs(animal, i);
}
