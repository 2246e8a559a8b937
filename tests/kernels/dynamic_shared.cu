// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static and dynamic shared memory together; the dynamic part carved into arrays of several types.
#include "device.h"

// Dynamic shared memory: n doubles, n ints, n chars.
extern "C" __global__ void carve(const double* d, const int* k, const char* c, double* out, int n) {
  extern __shared__ double dynamic[];
  __shared__ int offset;
  double* doubles = dynamic;
  int* ints = (int*)(doubles + n);
  char* chars = (char*)(ints + n);
  int base = blockIdx.x * n;
  if (threadIdx.x == 0) offset = blockIdx.x + 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    doubles[i] = d[base + i];
    ints[i] = k[base + i];
    chars[i] = c[base + i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int j = (i + offset) % n;
    out[base + i] = doubles[j] + ints[n - 1 - i] + chars[(i * 3) % n];
  }
}

// Fills all of the dynamic shared memory, whose size the kernel reads from the special register.
extern "C" __global__ void fill_all(unsigned* checksum) {
  extern __shared__ double dynamic[];
  unsigned* words = (unsigned*)dynamic;
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) words[i] = i * 2654435761u;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned sum = 0;
  for (unsigned i = 0; i < bytes / 4; ++i) sum = sum * 31 + words[i];
  checksum[blockIdx.x] = sum;
}
