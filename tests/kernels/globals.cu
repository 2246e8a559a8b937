// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Module-scope variables: initialisers with addresses of other variables, strings, constant tables,
// structures, and state shared by several kernels of a module.
#include "device.h"

__device__ int counter = 100;
__device__ int primes[8] = {2, 3, 5, 7, 11};  // the rest is zero
__device__ int* middle = &primes[3];
__device__ const char message[] = "warp and weft";
__device__ const char* words[] = {"zero", "one", "two", message + 5};
__constant__ float weights[4] = {0.5f, -1.25f, 3.0f, 1e-3f};
__constant__ unsigned settings[3];  // written by the host

struct Entry {
  short key;
  const int* where;
  double value;
};
__device__ Entry entries[] = {{7, &primes[1], 2.5}, {-9, &counter, -1e300}, {11, nullptr, 0.1}};

extern "C" __global__ void read_globals(double* out) {
  out[0] = counter;
  out[1] = *middle;
  out[2] = middle[-1] + primes[7];
  out[3] = weights[0] + weights[1] * weights[2];
  out[4] = settings[0] + settings[2];
  double sum = 0;
  for (const Entry& entry : entries) {
    sum += entry.key * 1000 + entry.value * (entry.value > -1e200);
    if (entry.where != nullptr) sum += *entry.where;
  }
  out[5] = sum;
}

// Copies words[which] with its end.
extern "C" __global__ void copy_word(int which, char* out) {
  const char* word = words[which];
  do {
    *out++ = *word;
  } while (*word++ != 0);
}

extern "C" __global__ void add_to_counter(int amount) { atomicAdd(&counter, amount); }

extern "C" __global__ void move_middle(int by) { middle += by; }

// A different constant in each lane, and the same one in all.
extern "C" __global__ void weigh(const int* which, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weights[which[i] & 3] * settings[1];
}
