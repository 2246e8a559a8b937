// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix transposition through a padded tile in shared memory.
#include "device.h"

constexpr int kTile = 32;

// Blocks of 32 x any height up to 32; each covers one 32 x 32 tile.
extern "C" __global__ void transpose(const unsigned* in, unsigned* out, int width, int height) {
  __shared__ unsigned tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int top = blockIdx.y * kTile;
  for (int y = threadIdx.y; y < kTile; y += blockDim.y) {
    if (x < width && top + y < height) tile[y][threadIdx.x] = in[(top + y) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  int left = blockIdx.x * kTile;
  for (int y = threadIdx.y; y < kTile; y += blockDim.y) {
    if (x < height && left + y < width) out[(left + y) * height + x] = tile[threadIdx.x][y];
  }
}
