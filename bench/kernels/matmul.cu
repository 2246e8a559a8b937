// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B, n by n, row major: a thread for each element of a square tile in shared memory, and 8
// by 8 elements per thread. Every element is summed in order of k.
#include "portable.h"

#define TILED(name, SIDE)                                                         \
  KERNEL((SIDE, SIDE, 1))                                                         \
  name(int n, GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c) {    \
    SHARED float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];                          \
    int x = THREAD_X, y = THREAD_Y;                                               \
    int column = BLOCK_X * SIDE + x, row = BLOCK_Y * SIDE + y;                    \
    float sum = 0;                                                                \
    for (int base = 0; base < n; base += SIDE) {                                  \
      tile_a[y][x] = a[row * n + base + x];                                       \
      tile_b[y][x] = b[(base + y) * n + column];                                  \
      __syncthreads();                                                            \
      for (int k = 0; k < SIDE; ++k) sum = fmaf(tile_a[y][k], tile_b[k][x], sum); \
      __syncthreads();                                                            \
    }                                                                             \
    c[row * n + column] = sum;                                                    \
  }
TILED(matmul_32, 32)
TILED(matmul_16, 16)

#define SIDE 128
#define DEPTH 8

// 16 by 16 threads for 128 by 128 elements. Thread x has columns 8 x to 8 x + 7.
KERNEL((256, 1, 1))
matmul_8x8(int n, GLOBAL const float* a, GLOBAL const float* b, GLOBAL float* c) {
  SHARED float tile_a[DEPTH][SIDE];  // transposed
  SHARED float tile_b[DEPTH][SIDE];
  int thread = THREAD_X;
  int x = thread % 16, y = thread / 16;
  int row = BLOCK_Y * SIDE, column = BLOCK_X * SIDE;
  float sum[8][8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[i][j] = 0;
  }
  for (int base = 0; base < n; base += DEPTH) {
    int a_row = thread / 2, a_column = thread % 2 * 4;
    int b_row = thread / 32, b_column = thread % 32 * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      tile_a[a_column + i][a_row] = a[(row + a_row) * n + base + a_column + i];
      tile_b[b_row][b_column + i] = b[(base + b_row) * n + column + b_column + i];
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      float of_a[8], of_b[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        of_a[i] = tile_a[k][y * 8 + i];
        of_b[i] = tile_b[k][x * 8 + i];
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] = fmaf(of_a[i], of_b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) c[(row + y * 8 + i) * n + column + x * 8 + j] = sum[i][j];
  }
}
