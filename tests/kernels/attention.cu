// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(Q * K^T) * V in one kernel for heads of 64 halves: blocks of four warps compute 64 rows,
// in steps of 32 keys, with the running maximum and sum of each row in registers.
#include "tiled_gemm.h"

constexpr int kKeys = 32;

struct Attention {
  const char *q, *k, *v;  // [head][row][64]
  char* out;
  float* log_sums;  // the logarithm to base two of each row's sum
  int queries, keys;
  float scale;  // of the products, for powers of two
};

HEDDLE_INLINE float exp2_approximately(float value) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
HEDDLE_INLINE float log2_approximately(float value) {
  float result;
  asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
// Over the four lanes that share a row.
HEDDLE_INLINE float row_maximum(float value) {
  for (int lane = 1; lane < 4; lane *= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, lane));
  return value;
}
HEDDLE_INLINE float row_sum(float value) {
  for (int lane = 1; lane < 4; lane *= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
  return value;
}

template <bool kCausal>
__device__ void attend(const Attention& p) {
  alignas(128) __shared__ char tile_q[2 * kTileBytes], ring[2][2][kTileBytes];
  const float infinity = __int_as_float(0x7f800000);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
  long long rows_before = (long long)head * p.queries, keys_before = (long long)head * p.keys;
  Operand q{p.q + rows_before * 128, p.queries, 128, 128};
  Operand k{p.k + keys_before * 128, p.keys, 128, 128};
  Operand v{p.v + keys_before * 128, p.keys, 128, 128};
  // The last query sees all keys.
  int diagonal = p.keys - p.queries, end = p.keys;
  if (kCausal) {
    int seen = (int)(blockIdx.x + 1) * 64 + diagonal;
    end = seen < end ? seen : end;
  }

  unsigned address_q = shared_address(tile_q), address_ring = shared_address(ring);
  AcrossK::copy(address_q, q, 0, 2 * blockIdx.x);
  AcrossK::copy(address_q + kTileBytes, q, 0, 2 * blockIdx.x + 1);
  auto fetch = [&](int step) {
    unsigned stage = address_ring + step % 2 * (2 * kTileBytes);
    if (step * kKeys < end) AcrossK::copy(stage, k, 0, step);
    commit_copies();
    if (step * kKeys < end) AcrossK::copy(stage + kTileBytes, v, 0, step);
    commit_copies();
  };
  fetch(0);

  unsigned fragments_q[4][4];
  float out[8][4] = {}, maximum[2] = {-infinity, -infinity}, sum[2] = {};
  int row = blockIdx.x * 64 + warp * 16 + lane / 4;
  for (int step = 0; step * kKeys < end; ++step) {
    unsigned tile_k = address_ring + step % 2 * (2 * kTileBytes), tile_v = tile_k + kTileBytes;
    wait_for_copies<1>();
    __syncthreads();
    if (step == 0) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        load_matrices(fragments_q[i],
                      address_q + AcrossK::place(warp * 16 + lane % 16, i * 2 + lane / 16));
    }
    float scores[4][4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        unsigned pair[4];
        load_matrices(
            pair, tile_k + AcrossK::place(j * 16 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
        F16::add(scores[2 * j], fragments_q[i], pair[0], pair[1]);
        F16::add(scores[2 * j + 1], fragments_q[i], pair[2], pair[3]);
      }
    }
    wait_for_copies<0>();
    __syncthreads();
    fetch(step + 1);

    float highest[2] = {maximum[0], maximum[1]};
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      int key = step * kKeys + i / 4 * 8 + lane % 4 * 2 + i % 2, half = i / 2 % 2;
      bool seen = key < p.keys && (!kCausal || key <= row + half * 8 + diagonal);
      float& score = scores[i / 4][i % 4];
      score = seen ? score * p.scale : -infinity;
      highest[half] = fmaxf(highest[half], score);
    }
    float base[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      highest[half] = row_maximum(highest[half]);
      base[half] = highest[half] == -infinity ? 0 : highest[half];
      float correction = exp2_approximately(maximum[half] - base[half]);
      maximum[half] = highest[half];
      sum[half] *= correction;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        out[i][2 * half] *= correction;
        out[i][2 * half + 1] *= correction;
      }
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float& score = scores[i / 4][i % 4];
      score = exp2_approximately(score - base[i / 2 % 2]);
      sum[i / 2 % 2] += score;
    }
    // The fragments of the accumulators are those of A.
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float *left = scores[2 * i], *right = scores[2 * i + 1];
      unsigned weights[4] = {pack_halves(left[0], left[1]), pack_halves(left[2], left[3]),
                             pack_halves(right[0], right[1]), pack_halves(right[2], right[3])};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned pair[4];
        load_transposed(pair, tile_v + AcrossK::place(i * 16 + lane % 16, j * 2 + lane / 16));
        F16::add(out[2 * j], weights, pair[0], pair[1]);
        F16::add(out[2 * j + 1], weights, pair[2], pair[3]);
      }
    }
  }
  wait_for_copies<0>();
  __syncthreads();

  // Through the warp's rows of tile_q.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float total = row_sum(sum[half]), factor = total == 0 ? 0 : 1 / total;
    if (lane % 4 == 0 && row + half * 8 < p.queries)
      p.log_sums[rows_before + row + half * 8] = maximum[half] + log2_approximately(total);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      unsigned at = AcrossK::place(warp * 16 + lane / 4 + half * 8, i) + lane % 4 * 4;
      *(unsigned*)(tile_q + at) =
          pack_halves(out[i][2 * half] * factor, out[i][2 * half + 1] * factor);
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int line = warp * 16 + i * 4 + lane / 8, to = blockIdx.x * 64 + line;
    if (to < p.queries)
      *(uint4*)(p.out + (rows_before + to) * 128 + lane % 8 * 16) =
          *(uint4*)(tile_q + AcrossK::place(line, lane % 8));
  }
}

extern "C" __global__ void __launch_bounds__(kThreads) attention(Attention p) { attend<false>(p); }
extern "C" __global__ void __launch_bounds__(kThreads) causal_attention(Attention p) {
  attend<true>(p);
}
