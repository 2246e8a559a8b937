// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of sm_100a with specialised warps: warp 0 fills a ring of buffers with bulk
// copies, warp 1 multiplies what is there into tensor memory (tcgen05), four warps store D.
// Operands are stored tile after tile, as the buffers have them.
#include "tcgen05.h"

namespace {

constexpr int kRows = 128, kStages = 3;
constexpr unsigned kThreads = 192;
constexpr unsigned kTileBytes = kRows * kLine;

/// Barrier objects: of the buffers, and of two accumulators that the product and the store use in
/// turn. `peer`: the other CTA's buffer is full.
struct Barriers {
  unsigned long long full[kStages], empty[kStages], peer[kStages], done[2], stored[2];
};

HEDDLE_INLINE unsigned buffers_address() {
  extern __shared__ __align__(1024) unsigned char buffers[];
  return shared_address(buffers);
}

struct Places {
  unsigned full, empty, peer, done, stored;
};
HEDDLE_INLINE Places places_of(Barriers& barriers) {
  return {shared_address(barriers.full), shared_address(barriers.empty),
          shared_address(barriers.peer), shared_address(barriers.done),
          shared_address(barriers.stored)};
}
/// `storers`: the warps that store an accumulator.
HEDDLE_INLINE void begin_barriers(const Places& at, unsigned storers) {
  for (int i = 0; i < kStages; ++i) {
    barrier_begin(at.full + 8 * i, 1);
    barrier_begin(at.empty + 8 * i, 1);
    barrier_begin(at.peer + 8 * i, 1);
  }
  for (int i = 0; i < 2; ++i) {
    barrier_begin(at.done + 8 * i, 1);
    barrier_begin(at.stored + 8 * i, storers);
  }
  fence_barrier_begin();
}

template <int kCtas>
HEDDLE_INLINE void sync_ctas() {
  if constexpr (kCtas == 2)
    cluster_sync();
  else
    __syncthreads();
}

/// A CTA, or a pair with `kCtas` 2, computes 128 rows of each CTA times 128 columns of D, one tile
/// after another. Of a pair, each CTA loads its rows of A and a half of the lines of B, and the
/// even one multiplies.
template <int kCtas>
HEDDLE_INLINE void gemm(const char* a, const char* b, float* d, int m, int n, int k) {
  constexpr int kColumns = 128, kBlockK = 64;
  constexpr unsigned kBytesB = kColumns / kCtas * kLine, kStageBytes = kTileBytes + kBytesB;
  constexpr unsigned kAllocated = 2 * kColumns;
  __shared__ Barriers barriers;
  __shared__ unsigned place;
  Places at = places_of(barriers);
  unsigned warp = uniform_warp(), rank = kCtas == 2 ? cluster_rank() : 0,
           buffers = buffers_address();
  if (warp == 0 && elect_one()) begin_barriers(at, 4 * kCtas);
  if (warp == 1) tensor_allocate<kCtas>(shared_address(&place), kAllocated);
  fence_before_sync();
  sync_ctas<kCtas>();
  fence_after_sync();
  unsigned sums = *(volatile unsigned*)&place;
  int steps = k / kBlockK, tiles_down = m / (kRows * kCtas), tiles = tiles_down * (n / kColumns);
  int first = blockIdx.x / kCtas, stride = gridDim.x / kCtas;

  if (warp == 0 && elect_one()) {
    RingPosition<kStages> ring;
    for (int tile = first; tile < tiles; tile += stride) {
      const char* from_a = a + (tile % tiles_down * kCtas + rank) * steps * kTileBytes;
      const char* from_b = b + (tile / tiles_down * kCtas + rank) * steps * kBytesB;
      for (int step = 0; step < steps; ++step, ring.advance()) {
        unsigned to = buffers + ring.stage * kStageBytes, signal = at.full + 8 * ring.stage;
        barrier_wait(at.empty + 8 * ring.stage, ring.phase ^ 1);
        barrier_expect(signal, kStageBytes);
        bulk_load(to, from_a + step * kTileBytes, kTileBytes, signal);
        bulk_load(to + kTileBytes, from_b + step * kBytesB, kBytesB, signal);
      }
    }
  } else if (warp == 1 && rank == 0 && elect_one()) {
    RingPosition<kStages> ring;
    RingPosition<2> accumulator;
    for (int tile = first; tile < tiles; tile += stride, accumulator.advance()) {
      barrier_wait(at.stored + 8 * accumulator.stage, accumulator.phase ^ 1);
      fence_after_sync();
      for (int step = 0; step < steps; ++step, ring.advance()) {
        barrier_wait(at.full + 8 * ring.stage, ring.phase);
        if (kCtas == 2) barrier_wait(at.peer + 8 * ring.stage, ring.phase);
        fence_after_sync();
        unsigned from = buffers + ring.stage * kStageBytes;
        for (int i = 0; i < 4; ++i)
          multiply_halves<kCtas>(sums + accumulator.stage * kColumns,
                                 tensor_descriptor(from + 32 * i),
                                 tensor_descriptor(from + kTileBytes + 32 * i),
                                 half_product(kRows * kCtas, kColumns), step > 0 || i > 0);
        tensor_commit<kCtas>(at.empty + 8 * ring.stage);
      }
      tensor_commit<kCtas>(at.done + 8 * accumulator.stage);
    }
  } else if (warp == 1 && rank == 1 && elect_one()) {
    // Bulk copies arrive in their own CTA; this thread tells the other one.
    RingPosition<kStages> ring;
    for (int tile = first; tile < tiles; tile += stride) {
      for (int step = 0; step < steps; ++step, ring.advance()) {
        barrier_wait(at.full + 8 * ring.stage, ring.phase);
        barrier_arrive_at(at.peer + 8 * ring.stage, 0);
      }
    }
  } else if (warp >= 2) {
    RingPosition<2> accumulator;
    for (int tile = first; tile < tiles; tile += stride, accumulator.advance()) {
      barrier_wait(at.done + 8 * accumulator.stage, accumulator.phase);
      fence_after_sync();
      int row = (tile % tiles_down * kCtas + rank) * kRows, column = tile / tiles_down * kColumns;
      store_rows(d + row * n + column, n, sums + accumulator.stage * kColumns, kColumns);
      fence_before_sync();
      __syncwarp();
      if (elect_one()) barrier_arrive_at(at.stored + 8 * accumulator.stage, 0);
    }
  }
  __syncwarp();
  fence_before_sync();
  sync_ctas<kCtas>();
  if (warp == 1) tensor_free<kCtas>(sums, kAllocated);
}

/// One tile of D from e2m1, 128 x 128, with scale factors for blocks of 16 elements (ue4m3) or 32
/// (ue8m0). Of a step, 256 elements along K, the factors are blocks of 512 bytes, each with four
/// factors of 128 rows.
template <bool kOf16>
HEDDLE_INLINE void gemm_fp4(const char* a, const char* b, const char* scales_a,
                            const char* scales_b, float* d, int n, int k) {
  constexpr int kBlockK = 256, kColumns = 128;
  constexpr unsigned kBlock = 512, kBlocks = kOf16 ? 4 : 2, kScaleBytes = kBlocks * kBlock;
  constexpr unsigned kStageBytes = 2 * kTileBytes + 2 * 2048;
  constexpr unsigned kAllocated = 256, kScalesA = kColumns, kScalesB = kColumns + 4 * kBlocks;
  __shared__ Barriers barriers;
  __shared__ unsigned place;
  Places at = places_of(barriers);
  unsigned warp = uniform_warp(), buffers = buffers_address();
  if (warp == 0 && elect_one()) begin_barriers(at, 4);
  if (warp == 1) tensor_allocate<1>(shared_address(&place), kAllocated);
  fence_before_sync();
  __syncthreads();
  fence_after_sync();
  unsigned sums = *(volatile unsigned*)&place;
  int steps = k / kBlockK;

  if (warp == 0 && elect_one()) {
    RingPosition<kStages> ring;
    for (int step = 0; step < steps; ++step, ring.advance()) {
      unsigned to = buffers + ring.stage * kStageBytes, signal = at.full + 8 * ring.stage;
      unsigned in_a = blockIdx.y * steps + step, in_b = blockIdx.x * steps + step;
      barrier_wait(at.empty + 8 * ring.stage, ring.phase ^ 1);
      barrier_expect(signal, 2 * kTileBytes + 2 * kScaleBytes);
      bulk_load(to, a + in_a * kTileBytes, kTileBytes, signal);
      bulk_load(to + kTileBytes, b + in_b * kTileBytes, kTileBytes, signal);
      bulk_load(to + 2 * kTileBytes, scales_a + in_a * kScaleBytes, kScaleBytes, signal);
      bulk_load(to + 2 * kTileBytes + kScaleBytes, scales_b + in_b * kScaleBytes, kScaleBytes,
                signal);
    }
  } else if (warp == 1 && elect_one()) {
    RingPosition<kStages> ring;
    for (int step = 0; step < steps; ++step, ring.advance()) {
      unsigned from = buffers + ring.stage * kStageBytes, scales = from + 2 * kTileBytes;
      barrier_wait(at.full + 8 * ring.stage, ring.phase);
      fence_after_sync();
      // Copies and products are executed in the order of their issue.
      for (unsigned i = 0; i < kBlocks; ++i) {
        copy_scales(sums + kScalesA + 4 * i, scales + i * kBlock);
        copy_scales(sums + kScalesB + 4 * i, scales + kScaleBytes + i * kBlock);
      }
      for (unsigned i = 0; i < 4; ++i) {
        unsigned block = kOf16 ? i : i / 2, id = kOf16 ? 0 : i % 2 * 2;
        multiply_fp4<kOf16>(sums, tensor_descriptor(from + 32 * i),
                            tensor_descriptor(from + kTileBytes + 32 * i),
                            fp4_product(kRows, kColumns, !kOf16, id), sums + kScalesA + 4 * block,
                            sums + kScalesB + 4 * block, step > 0 || i > 0);
      }
      tensor_commit<1>(at.empty + 8 * ring.stage);
    }
    tensor_commit<1>(at.done);
  } else if (warp >= 2) {
    barrier_wait(at.done, 0);
    fence_after_sync();
    store_rows(d + blockIdx.y * kRows * n + blockIdx.x * kColumns, n, sums, kColumns);
  }
  __syncwarp();
  fence_before_sync();
  __syncthreads();
  if (warp == 1) tensor_free<1>(sums, kAllocated);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_one(const char* a, const char* b, float* d, int m, int n, int k) {
  gemm<1>(a, b, d, m, n, k);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(kThreads, 1)
    gemm_pair(const char* a, const char* b, float* d, int m, int n, int k) {
  gemm<2>(a, b, d, m, n, k);
}
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_nvfp4(const char* a, const char* b, const char* scales_a, const char* scales_b, float* d,
               int n, int k) {
  gemm_fp4<true>(a, b, scales_a, scales_b, d, n, k);
}
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_mxfp4(const char* a, const char* b, const char* scales_a, const char* scales_b, float* d,
               int n, int k) {
  gemm_fp4<false>(a, b, scales_a, scales_b, d, n, k);
}
