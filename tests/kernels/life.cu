// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus of bytes; each block steps its tile from shared memory.
#include "device.h"

// Dynamic shared memory: (blockDim.x + 2) * (blockDim.y + 2) bytes.
extern "C" __global__ void life_step(const unsigned char* in, unsigned char* out, int width,
                                     int height) {
  extern __shared__ unsigned char tile[];
  int pitch = blockDim.x + 2;
  int left = blockIdx.x * blockDim.x;
  int top = blockIdx.y * blockDim.y;
  for (int y = threadIdx.y; y < blockDim.y + 2; y += blockDim.y) {
    for (int x = threadIdx.x; x < pitch; x += blockDim.x) {
      int from_x = (left + x - 1 + width) % width;
      int from_y = (top + y - 1 + height) % height;
      tile[y * pitch + x] = in[from_y * width + from_x];
    }
  }
  __syncthreads();
  int x = left + threadIdx.x;
  int y = top + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char* centre = &tile[(threadIdx.y + 1) * pitch + threadIdx.x + 1];
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) neighbours += centre[dy * pitch + dx];
  }
  neighbours -= *centre;
  out[y * width + x] = neighbours == 3 || (neighbours == 2 && *centre);
}
