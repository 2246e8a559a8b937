// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product whose A has two zeros among every four elements of a row.
#include "tiled_gemm.h"

// D += A * B for 32 elements along k; metadata of the pair of lanes `kPair` of every four.
template <int kPair>
__device__ void add_sparse(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[4],
                           unsigned metadata) {
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
        "r"(metadata), "n"(kPair));
}

// Row-major D = A * B, with A's elements that are not zero in `a`, and four bits for every four
// elements of A in `metadata`: rows of `words` 16-bit words. B is row major.
extern "C" __global__ void __launch_bounds__(kThreads)
    sparse_f16(Operand a, Operand b, int steps, float* d, int m, int n,
               const unsigned short* metadata, int words) {
  // A stage has 64 elements along k: 64 rows of 64 bytes of A, 64 rows of 128 bytes of B.
  constexpr int kStage = 3 * kTileBytes;
  alignas(128) __shared__ char stages[2][kStage];
  unsigned ring = shared_address(stages);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto fetch = [&](int step) {
    unsigned stage = ring + step % 2 * kStage;
    AlongK::copy(stage, a, blockIdx.y, step);
    AcrossK::copy(stage + kTileBytes, b, blockIdx.x, 2 * step);
    AcrossK::copy(stage + 2 * kTileBytes, b, blockIdx.x, 2 * step + 1);
    commit_copies();
  };
  // Lane i of four has elements 16 i to 16 i + 15 of the stage, of rows `row` and `row` + 8. What
  // is outside must have different places, too.
  auto metadata_of = [&](int row, int step) {
    int word = step * 4 + lane % 4;
    unsigned pair = 0;
    for (int i = 0; i < 2; ++i) {
      bool inside = row + 8 * i < m && word < words;
      pair |= (inside ? metadata[(row + 8 * i) * words + word] : 0x4444u) << 16 * i;
    }
    return pair;
  };
  Accumulators<F16> sums;
  fetch(0);
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<0>();
    __syncthreads();
    if (step + 1 < steps) fetch(step + 1);
    unsigned stage = ring + step % 2 * kStage;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int row = warp / 2 * 32 + i * 16;
      unsigned pairs = metadata_of(blockIdx.y * kTile + row + lane / 4, step);
      unsigned fragments_a[2][4];
      AlongK::load_a(fragments_a[0], stage, row, 0);
      AlongK::load_a(fragments_a[1], stage, row, 1);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned upper[4], lower[4], tile = stage + kTileBytes;
        int chunk = warp % 2 * 4 + j;
        load_transposed(upper, tile + AcrossK::place(lane, chunk));
        load_transposed(lower, tile + AcrossK::place(32 + lane, chunk));
        add_sparse<0>(sums.d[i][j], fragments_a[0], upper, pairs);
        add_sparse<1>(sums.d[i][j], fragments_a[1], lower, pairs);
      }
    }
  }
  sums.each([&](int row, int column, float(&fragment)[4]) {
    for (int i = 0; i < 4; ++i) {
      int r = row + i / 2 * 8, c = column + i % 2;
      if (r < m && c < n) d[r * n + c] = fragment[i];
    }
  });
}
