// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main loop of matrix products D = A * B (m x k by k x n) as libraries write it: blocks of four
// warps compute a tile of 64 x 64 elements of D, or several tiles. Asynchronous copies bring 4096
// bytes of A and of B per tile for each step along k into a ring of stages, whose 16-byte chunks
// are swizzled so that ldmatrix has no bank conflicts. What lies outside a matrix is zero-filled.
#pragma once

#include "warp_matrix.h"

constexpr int kTile = 64, kThreads = 128, kStages = 3, kTileBytes = 4096;

// `rows` rows of `bytes` bytes; a row begins every `pitch` bytes, a multiple of 16.
struct Operand {
  const char* data;
  int rows, bytes, pitch;
};

// The chunk of an operand that begins at `byte` of `row`, as far as it lies inside.
HEDDLE_INLINE void copy_chunk(unsigned to, const Operand& from, int row, int byte) {
  bool inside = row < from.rows && byte < from.bytes;
  int left = inside ? from.bytes - byte : 0;
  const char* source = inside ? from.data + (long long)row * from.pitch + byte : from.data;
  copy_async(to, source, left < 16 ? left : 16);
}

// Rows along k (row-major A, column-major B): a tile is 64 rows of 64 bytes.
struct AlongK {
  static __device__ unsigned place(int row, int chunk) {
    return row * 64 + (chunk ^ (row >> 1 & 3)) * 16;
  }
  static __device__ void copy(unsigned tile, const Operand& from, int block, int step) {
    for (int i = threadIdx.x; i < kTileBytes / 16; i += kThreads) {
      copy_chunk(tile + place(i / 4, i % 4), from, block * kTile + i / 4, step * 64 + i % 4 * 16);
    }
  }
  // The fragment of 16 rows of A and 32 bytes of k.
  static __device__ void load_a(unsigned (&a)[4], unsigned tile, int row, int half) {
    int lane = threadIdx.x % 32;
    load_matrices(a, tile + place(row + lane % 16, half * 2 + lane / 16));
  }
  // The fragments of twice 8 columns of B.
  static __device__ void load_b(unsigned (&b)[4], unsigned tile, int column, int half) {
    int lane = threadIdx.x % 32;
    load_matrices(b, tile + place(column + lane / 16 * 8 + lane % 8, half * 2 + lane / 8 % 2));
  }
};

// Rows along m or n, of 16-bit elements: a tile is 32 rows (of k) of 128 bytes.
struct AcrossK {
  static __device__ unsigned place(int row, int chunk) {
    return row * 128 + (chunk ^ (row & 7)) * 16;
  }
  static __device__ void copy(unsigned tile, const Operand& from, int block, int step) {
    for (int i = threadIdx.x; i < kTileBytes / 16; i += kThreads) {
      copy_chunk(tile + place(i / 8, i % 8), from, step * 32 + i / 8, block * 128 + i % 8 * 16);
    }
  }
  static __device__ void load_a(unsigned (&a)[4], unsigned tile, int row, int half) {
    int lane = threadIdx.x % 32;
    load_transposed(a, tile + place(half * 16 + lane / 16 * 8 + lane % 8, row / 8 + lane / 8 % 2));
  }
  static __device__ void load_b(unsigned (&b)[4], unsigned tile, int column, int half) {
    int lane = threadIdx.x % 32;
    load_transposed(b, tile + place(half * 16 + lane % 16, column / 8 + lane / 16));
  }
};

// A warp's elements of D in fragments of 16 x 8: 32 x 32, or more, for blocks of kSide * kSide
// tiles.
template <class Product, int kSide = 1>
struct Accumulators {
  typename Product::Sum d[2 * kSide][4 * kSide][Product::kSums] = {};

  // The warp's first row and column in its block.
  static __device__ int row() { return threadIdx.x / 64 * 32 * kSide; }
  static __device__ int column() { return threadIdx.x / 32 % 2 * 32 * kSide; }

  // visit(row, column, fragment) for each fragment: the lane holds elements `column` and
  // `column` + 1 of `row`, then those of `row` + 8.
  template <class Visit>
  __device__ void each(Visit visit) {
    int lane = threadIdx.x % 32;
    int first_row = blockIdx.y * kTile * kSide + row() + lane / 4;
    int first_column = blockIdx.x * kTile * kSide + column() + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2 * kSide; ++i) {
#pragma unroll
      for (int j = 0; j < 4 * kSide; ++j) visit(first_row + i * 16, first_column + j * 8, d[i][j]);
    }
  }
};

// The block's part of A * B, in steps `first` to `last` of 64 bytes of AlongK, 32 rows of AcrossK.
template <class LayoutA, class LayoutB, class Product, int kSide>
HEDDLE_INLINE void multiply(Accumulators<Product, kSide>& sums, const Operand& a, const Operand& b,
                            int first, int last) {
  using Sums = Accumulators<Product, kSide>;
  constexpr int kStage = 2 * kSide * kTileBytes, kB = kSide * kTileBytes;
  alignas(128) __shared__ char stages[kStages][kStage];
  unsigned ring = shared_address(stages);
  auto fetch = [&](int step) {
    unsigned stage = ring + step % kStages * kStage;
    for (int i = 0; i < kSide && step < last; ++i) {
      LayoutA::copy(stage + i * kTileBytes, a, blockIdx.y * kSide + i, step);
      LayoutB::copy(stage + kB + i * kTileBytes, b, blockIdx.x * kSide + i, step);
    }
    commit_copies();
  };
  for (int step = first; step < first + kStages - 1; ++step) fetch(step);
  for (int step = first; step < last; ++step) {
    wait_for_copies<kStages - 2>();
    __syncthreads();
    fetch(step + kStages - 1);
    unsigned stage = ring + step % kStages * kStage;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned fragments_a[2 * kSide][4], fragments_b[2 * kSide][4];
#pragma unroll
      for (int i = 0; i < 2 * kSide; ++i) {
        int row = Sums::row() + i * 16, column = Sums::column() + i * 16;
        LayoutA::load_a(fragments_a[i], stage + row / kTile * kTileBytes, row % kTile, half);
        LayoutB::load_b(fragments_b[i], stage + kB + column / kTile * kTileBytes, column % kTile,
                        half);
      }
#pragma unroll
      for (int i = 0; i < 2 * kSide; ++i) {
#pragma unroll
        for (int j = 0; j < 4 * kSide; ++j) {
          const unsigned* pair = &fragments_b[j / 2][j % 2 * 2];
          Product::add(sums.d[i][j], fragments_a[i], pair[0], pair[1]);
        }
      }
    }
  }
  wait_for_copies<0>();
}

template <class Product, class LayoutA, class LayoutB, int kSide = 1>
HEDDLE_INLINE Accumulators<Product, kSide> multiply(const Operand& a, const Operand& b, int steps) {
  Accumulators<Product, kSide> sums;
  multiply<LayoutA, LayoutB>(sums, a, b, 0, steps);
  return sums;
}
