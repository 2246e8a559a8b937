// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid-stride loops: any grid covers any array, in one and in two dimensions.
#include "device.h"

extern "C" __global__ void scale_strided(float* values, unsigned long long n, float factor) {
  unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    values[i] *= factor;
  }
}

// A pitched image: rows are `pitch` bytes apart.
extern "C" __global__ void fill_plane(unsigned char* plane, int width, int height,
                                      unsigned long long pitch) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    unsigned* row = (unsigned*)(plane + y * pitch);
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
      row[x] = x * 1000 + y;
    }
  }
}

// Each thread sums a contiguous chunk: neighbouring lanes are `chunk` apart.
extern "C" __global__ void sum_chunks(const int* values, int n, int chunk, int* sums) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = thread * chunk;
  int end = begin + chunk < n ? begin + chunk : n;
  unsigned sum = 0;
  for (int i = begin; i < end; ++i) sum += values[i];
  sums[thread] = sum;
}
