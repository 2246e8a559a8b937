// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in local memory, indexed at run time, of several element sizes; pointers to locals.
#include "device.h"

extern "C" __global__ void insertion_sort(const int* in, int* out, int length, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int sorted[32];
  for (int k = 0; k < length; ++k) {
    int value = in[i * length + k];
    int at = k;
    for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
    sorted[at] = value;
  }
  for (int k = 0; k < length; ++k) out[i * length + k] = sorted[k];
}

static __device__ __noinline__ void bump(unsigned char* bytes, int index, int by) {
  bytes[index] += by;
}

// Counts the nibbles of each thread's words in a byte array, through a pointer.
extern "C" __global__ void nibble_counts(const unsigned* words, int per_thread, uint4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  alignas(16) unsigned char counts[16] = {};
  for (int k = 0; k < per_thread; ++k) {
    unsigned word = words[i * per_thread + k];
    for (int nibble = 0; nibble < 8; ++nibble) bump(counts, word >> (4 * nibble) & 15, 1);
  }
  out[i] = *(uint4*)counts;
}

// Two big local arrays per thread, written with one stride and read with another.
extern "C" __global__ void shuffle_locals(double* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double wide[67];
  short narrow[67];
  for (int k = 0; k < 67; ++k) {
    wide[k * stride % 67] = i + k * 0.5;
    narrow[k * stride % 67] = k;
  }
  double sum = 0;
  for (int k = 0; k < 67; ++k) sum = sum * 0.5 + wide[k] + narrow[66 - k];
  out[i] = sum;
}
