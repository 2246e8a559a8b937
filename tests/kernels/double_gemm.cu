// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product of doubles by mma.m8n8k4: blocks of four warps compute 32 x 32 elements.
#include "warp_matrix.h"

constexpr int kTile = 32, kDepth = 16, kThreads = 128;

HEDDLE_INLINE void copy_double(void* to, const double* from, bool inside) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
               :
               : "r"(shared_address(to)), "l"(from), "r"(inside ? 8 : 0)
               : "memory");
}
HEDDLE_INLINE void add_product(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a), "d"(b));
}

// D = alpha * A * B + beta * D, all row major. Rows in shared memory are padded against bank
// conflicts.
extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_f64(const double* a, const double* b, double* d, int m, int n, int k, double alpha,
             double beta) {
  __shared__ double tile_a[2][kTile][kDepth + 4], tile_b[2][kDepth][kTile + 4];
  int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, place = threadIdx.x % 4;
  int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  auto fetch = [&](int step) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      int row = first_row + i / kDepth, from = step * kDepth + i % kDepth;
      bool inside = row < m && from < k;
      copy_double(&tile_a[step % 2][i / kDepth][i % kDepth], inside ? &a[row * k + from] : a,
                  inside);
      from = step * kDepth + i / kTile;
      int column = first_column + i % kTile;
      inside = from < k && column < n;
      copy_double(&tile_b[step % 2][i / kTile][i % kTile], inside ? &b[from * n + column] : b,
                  inside);
    }
    commit_copies();
  };
  double sums[2][2][2] = {};
  int row = warp / 2 * 16 + group, column = warp % 2 * 16 + group;
  int steps = (k + kDepth - 1) / kDepth;
  fetch(0);
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      fetch(step + 1);
      wait_for_copies<1>();
    } else {
      wait_for_copies<0>();
    }
    __syncthreads();
#pragma unroll
    for (int from = place; from < kDepth; from += 4) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
          add_product(sums[i][j], tile_a[step % 2][row + 8 * i][from],
                      tile_b[step % 2][from][column + 8 * j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) {
    int r = first_row + row + i / 4 * 8;
    int c = first_column + warp % 2 * 16 + i / 2 % 2 * 8 + place * 2 + i % 2;
    if (r < m && c < n) {
      double& to = d[r * n + c];
      to = alpha * sums[i / 4][i / 2 % 2][i % 2] + beta * to;
    }
  }
}
