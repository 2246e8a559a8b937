// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of sm_90a with specialised warps: a producer warp fills a ring of buffers with
// bulk copies, and two warp groups multiply (wgmma) what is there. A CTA computes 128 x 128 of D.
#include "tensor_copy.h"
#include "wgmma.h"

namespace {

constexpr int kBlock = 128, kBlockK = 64, kStages = 3;
constexpr unsigned kTileBytes = kBlock * kBlockK * 2;
constexpr unsigned kStageBytes = 2 * kTileBytes;
constexpr unsigned kThreads = 384;

struct Ring {
  unsigned long long full[kStages], empty[kStages];
};

/// One thread begins the barrier objects; `consumers`: how many arrivals free a buffer.
HEDDLE_INLINE void begin_ring(unsigned full, unsigned empty, unsigned consumers) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < kStages; ++i) {
    barrier_begin(full + 8 * i, 1);
    barrier_begin(empty + 8 * i, consumers);
  }
  fence_barrier_begin();
}

/// The buffers begin where the swizzling pattern does.
HEDDLE_INLINE unsigned stage_address(unsigned stage) {
  extern __shared__ __align__(1024) unsigned char buffers[];
  return shared_address(buffers) + stage * kStageBytes;
}

/// Rows 64 * group and on of a tile of D, in the accumulators of a warp group.
HEDDLE_INLINE void store_accumulators(float* d, int n, const float (&sums)[64]) {
  unsigned thread = threadIdx.x % 128, row = thread / 32 * 16 + thread % 32 / 4;
  float* to = d + row * n + thread % 4 * 2;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    *(float2*)(to + i * 8) = float2{sums[4 * i], sums[4 * i + 1]};
    *(float2*)(to + 8 * n + i * 8) = float2{sums[4 * i + 2], sums[4 * i + 3]};
  }
}

/// Multiplies the tiles of a stage: rows 64 * group and on of A.
template <bool kRowsOfB, bool kAInRegisters>
HEDDLE_INLINE void multiply_stage(unsigned a, unsigned b, float (&sums)[64], bool first) {
  // Along K, a K-major matrix is 32 bytes further, an MN-major one 16 lines.
  constexpr unsigned kStepA = 32, kStepB = kRowsOfB ? 16 * kLine : 32;
  unsigned long long at_b = kRowsOfB ? swizzled_descriptor(b, kTileBytes / 2, 8 * kLine)
                                     : swizzled_descriptor(b, 16, 8 * kLine);
  unsigned long long at_a = swizzled_descriptor(a, 16, 8 * kLine);
  unsigned fragments[4][4];
  if (kAInRegisters) {
#pragma unroll
    for (int k = 0; k < 4; ++k) load_fragment(a, k, fragments[k]);
  }
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    bool accumulate = !first || k > 0;
    if constexpr (kAInRegisters) {
      wgmma_128_registers<kRowsOfB>(sums, fragments[k], at_b + k * kStepB / 16, accumulate);
    } else {
      wgmma_128<kRowsOfB>(sums, at_a + k * kStepA / 16, at_b + k * kStepB / 16, accumulate);
    }
  }
  wgmma_commit();
}

/// A is stored tile after tile, as the buffers have them. B is N x K, or K x N with `kRowsOfB`.
template <bool kRowsOfB, bool kAInRegisters>
HEDDLE_INLINE void gemm(const char* a, const char* b, float* d, int n, int k) {
  __shared__ Ring ring;
  unsigned full = shared_address(ring.full), empty = shared_address(ring.empty);
  unsigned warp = uniform_warp();
  int tiles = k / kBlockK;
  begin_ring(full, empty, 2);  // one thread of each consumer
  __syncthreads();
  RingPosition<kStages> at;
  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (warp != 0) return;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      unsigned to = stage_address(at.stage), signal = full + 8 * at.stage;
      barrier_wait(empty + 8 * at.stage, at.phase ^ 1);
      if (elect_one()) {
        barrier_expect(signal, kStageBytes);
        bulk_load(to, a + (blockIdx.y * tiles + tile) * kTileBytes, kTileBytes, signal);
      }
      __syncwarp();
      to += kTileBytes;
      if (kRowsOfB) {
        // 64 columns are a line.
        for (int half = 0; half < 2; ++half)
          load_lines(to + half * kTileBytes / 2,
                     b + 2ull * (tile * kBlockK * n + blockIdx.x * kBlock + half * 64), 2ull * n,
                     kBlockK, signal);
      } else {
        load_lines(to, b + 2ull * (blockIdx.x * kBlock * k + tile * kBlockK), 2ull * k, kBlock,
                   signal);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  unsigned group = warp / 4 - 1;
  float sums[64];
  unsigned before = 0;
  for (int tile = 0; tile < tiles; ++tile, at.advance()) {
    barrier_wait(full + 8 * at.stage, at.phase);
    unsigned from = stage_address(at.stage);
    multiply_stage<kRowsOfB, kAInRegisters>(from + group * kTileBytes / 2, from + kTileBytes, sums,
                                            tile == 0);
    // The stage before is free when its products are done, for which one thread of the group
    // speaks.
    wgmma_wait<1>();
    if (tile > 0 && threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * before);
    before = at.stage;
  }
  wgmma_wait<0>();
  store_accumulators(d + (blockIdx.y * kBlock + group * 64) * n + blockIdx.x * kBlock, n, sums);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_columns(const char* a, const char* b, float* d, int n, int k) {
  gemm<false, false>(a, b, d, n, k);
}
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_rows(const char* a, const char* b, float* d, int n, int k) {
  gemm<true, false>(a, b, d, n, k);
}
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_registers(const char* a, const char* b, float* d, int n, int k) {
  gemm<true, true>(a, b, d, n, k);
}

// The same by clusters of two CTAs, one below the other, that share the tiles of B: each loads one
// half of a tile into both. `d` is written as f16 by a bulk copy from shared memory.
extern "C" __global__ void __cluster_dims__(1, 2, 1) __launch_bounds__(kThreads, 1)
    gemm_multicast(const char* a, const char* b, char* d, int n, int k) {
  __shared__ Ring ring;
  unsigned full = shared_address(ring.full), empty = shared_address(ring.empty);
  unsigned warp = uniform_warp(), rank = cluster_rank();
  int tiles = k / kBlockK;
  begin_ring(full, empty, 4);  // the consumers of both CTAs
  cluster_sync();
  RingPosition<kStages> at;
  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (warp == 0 && elect_one()) {
      for (int tile = 0; tile < tiles; ++tile, at.advance()) {
        unsigned to = stage_address(at.stage), signal = full + 8 * at.stage;
        barrier_wait(empty + 8 * at.stage, at.phase ^ 1);
        barrier_expect(signal, kStageBytes);
        bulk_load(to, a + (blockIdx.y * tiles + tile) * kTileBytes, kTileBytes, signal);
        unsigned half = rank * kTileBytes / 2;
        bulk_load_multicast(to + kTileBytes + half,
                            b + (blockIdx.x * tiles + tile) * kTileBytes + half, kTileBytes / 2,
                            signal, 3);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    unsigned group = warp / 4 - 1, thread = threadIdx.x % 128;
    float sums[64];
    unsigned before = 0;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      barrier_wait(full + 8 * at.stage, at.phase);
      unsigned from = stage_address(at.stage);
      multiply_stage<false, false>(from + group * kTileBytes / 2, from + kTileBytes, sums,
                                   tile == 0);
      wgmma_wait<1>();
      if (tile > 0 && thread < 2) barrier_arrive_at(empty + 8 * before, thread);
      before = at.stage;
    }
    wgmma_wait<0>();
    // All products of both groups are done before the first buffer gets D.
    asm volatile("bar.sync 1, 256;" : : : "memory");
    unsigned to = stage_address(0) + group * 64 * kBlock * 2;
    store_halves(to, sums);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("bar.sync %0, 128;" : : "r"(2 + group) : "memory");
    if (thread < 64) {
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\n\t"
          "cp.async.bulk.commit_group;\n\t"
          "cp.async.bulk.wait_group 0;"
          :
          : "l"(d + 2ull * ((blockIdx.y * kBlock + group * 64 + thread) * n + blockIdx.x * kBlock)),
            "r"(to + thread * kBlock * 2)
          : "memory");
    }
  }
  // A CTA leaves when the other one neither copies to it nor arrives there.
  cluster_sync();
}

// The same, with tensor maps of A (M x K), B (N x K) and D (M x N, f16), whose boxes are swizzled
// tiles; D has any size, and K need not fill the last tile.
extern "C" __global__ void __cluster_dims__(1, 2, 1) __launch_bounds__(kThreads, 1)
    gemm_tensor_maps(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                     const __grid_constant__ TensorMap d, int k) {
  __shared__ Ring ring;
  unsigned full = shared_address(ring.full), empty = shared_address(ring.empty);
  unsigned warp = uniform_warp(), rank = cluster_rank();
  int tiles = (k + kBlockK - 1) / kBlockK, row = blockIdx.y * kBlock, column = blockIdx.x * kBlock;
  begin_ring(full, empty, 4);  // the consumers of both CTAs
  cluster_sync();
  RingPosition<kStages> at;
  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (warp == 0 && elect_one()) {
      for (int tile = 0; tile < tiles; ++tile, at.advance()) {
        unsigned to = stage_address(at.stage), signal = full + 8 * at.stage;
        barrier_wait(empty + 8 * at.stage, at.phase ^ 1);
        barrier_expect(signal, kStageBytes);
        tensor_load(to, &a, tile * kBlockK, row, signal);
        tensor_load_multicast(to + kTileBytes + rank * kTileBytes / 2, &b, tile * kBlockK,
                              column + rank * kBlock / 2, signal, 3);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    unsigned group = warp / 4 - 1, thread = threadIdx.x % 128;
    float sums[64];
    unsigned before = 0;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      barrier_wait(full + 8 * at.stage, at.phase);
      unsigned from = stage_address(at.stage);
      multiply_stage<false, false>(from + group * kTileBytes / 2, from + kTileBytes, sums,
                                   tile == 0);
      wgmma_wait<1>();
      if (tile > 0 && thread < 2) barrier_arrive_at(empty + 8 * before, thread);
      before = at.stage;
    }
    wgmma_wait<0>();
    asm volatile("bar.sync 1, 256;" : : : "memory");
    unsigned to = stage_address(0) + group * 64 * kBlock * 2;
    store_halves(to, sums);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    asm volatile("bar.sync %0, 128;" : : "r"(2 + group) : "memory");
    if (thread == 0) {
      tensor_store(&d, column, row + group * 64, to);
      tensor_stores_done();
    }
  }
  cluster_sync();
}

// Products of e4m3, as DeepGEMM computes them: the sums of 128 elements along K, which tensor cores
// keep with few bits, are scaled and added in f32. A has a factor for each row and 128 elements, B
// one for 128 x 128. All operands are stored tile after tile.
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_e4m3(const char* a, const char* b, const float* scales_a, const float* scales_b, float* d,
              int n, int k) {
  __shared__ Ring ring;
  unsigned full = shared_address(ring.full), empty = shared_address(ring.empty);
  unsigned warp = uniform_warp();
  int tiles = k / kLine;
  begin_ring(full, empty, 8);  // each consumer warp
  __syncthreads();
  RingPosition<kStages> at;
  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (warp != 0 || !elect_one()) return;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      unsigned to = stage_address(at.stage), signal = full + 8 * at.stage;
      barrier_wait(empty + 8 * at.stage, at.phase ^ 1);
      barrier_expect(signal, kStageBytes);
      bulk_load(to, a + (blockIdx.y * tiles + tile) * kTileBytes, kTileBytes, signal);
      bulk_load(to + kTileBytes, b + (blockIdx.x * tiles + tile) * kTileBytes, kTileBytes, signal);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  unsigned group = warp / 4 - 1, thread = threadIdx.x % 128;
  const float* scale_a =
      scales_a + (blockIdx.y * kBlock + group * 64 + thread / 32 * 16 + thread % 32 / 4) * tiles;
  const float* scale_b = scales_b + blockIdx.x * tiles;
  float sums[64] = {}, of_tile[64];
  for (int tile = 0; tile < tiles; ++tile, at.advance()) {
    barrier_wait(full + 8 * at.stage, at.phase);
    unsigned from_a = stage_address(at.stage) + group * kTileBytes / 2;
    unsigned from_b = stage_address(at.stage) + kTileBytes;
    float low = scale_a[tile] * scale_b[tile], high = scale_a[8 * tiles + tile] * scale_b[tile];
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      wgmma_128_e4m3(of_tile, swizzled_descriptor(from_a + 32 * i, 16, 8 * kLine),
                     swizzled_descriptor(from_b + 32 * i, 16, 8 * kLine), i > 0);
    wgmma_commit();
    wgmma_wait<0>();
    if (elect_one()) barrier_arrive(empty + 8 * at.stage);
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += (i % 4 < 2 ? low : high) * of_tile[i];
  }
  store_accumulators(d + (blockIdx.y * kBlock + group * 64) * n + blockIdx.x * kBlock, n, sums);
}
