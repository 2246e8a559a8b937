// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix product C = A * B (row major), straightforward and tiled through shared memory.
#include "device.h"

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int rows,
                                        int inner, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum = fmaf(a[row * inner + k], b[k * columns + column], sum);
  c[row * columns + column] = sum;
}

constexpr int kTile = 16;

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * kTile + tx;
  int row = blockIdx.y * kTile + ty;
  float sum = 0;
  for (int base = 0; base < inner; base += kTile) {
    tile_a[ty][tx] = row < rows && base + tx < inner ? a[row * inner + base + tx] : 0;
    tile_b[ty][tx] = column < columns && base + ty < inner ? b[(base + ty) * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

// Each thread computes a 4 x 4 patch of a 64 x 64 tile in registers; 256 threads per block. All
// sizes are multiples of 64 (columns, rows) and 8 (inner).
extern "C" __global__ void __launch_bounds__(256)
    matmul_register_tiled(const float* a, const float* b, float* c, int inner, int columns) {
  constexpr int kSide = 64;
  constexpr int kDepth = 8;
  __shared__ float tile_a[kDepth][kSide];  // transposed
  __shared__ float tile_b[kDepth][kSide];
  int thread = threadIdx.x;
  int tx = thread % 16;
  int ty = thread / 16;
  float sum[4][4] = {};
  for (int base = 0; base < inner; base += kDepth) {
    for (int i = thread; i < kSide * kDepth; i += 256) {
      tile_a[i % kDepth][i / kDepth] =
          a[(blockIdx.y * kSide + i / kDepth) * inner + base + i % kDepth];
      tile_b[i / kSide][i % kSide] =
          b[(base + i / kSide) * columns + blockIdx.x * kSide + i % kSide];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float4 va = *(const float4*)&tile_a[k][ty * 4];
      float4 vb = *(const float4*)&tile_b[k][tx * 4];
      float column_of_a[4] = {va.x, va.y, va.z, va.w};
      float row_of_b[4] = {vb.x, vb.y, vb.z, vb.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(column_of_a[i], row_of_b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float4 row = {sum[i][0], sum[i][1], sum[i][2], sum[i][3]};
    *(float4*)&c[(blockIdx.y * kSide + ty * 4 + i) * columns + blockIdx.x * kSide + tx * 4] = row;
  }
}
