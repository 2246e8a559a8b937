// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products of e2m1 with scale factors for blocks, by the mma instructions of sm_120a.
#include "matrix_pipeline.h"

namespace {

constexpr int kRows = 64, kColumns = 32;  // of D, for a CTA; a warp has sixteen rows
constexpr int kStepBytes = 32;            // 64 elements along K

HEDDLE_INLINE void copy_async(unsigned to, const char* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}
HEDDLE_INLINE void load_matrices(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}

#define MULTIPLY(form, byte)                                                                     \
  asm volatile("mma.sync.aligned.m16n8k64.row.col." form                                         \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, %10, {%12, 1}," \
               " %11, {%12, 2};"                                                                 \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(scale_a), \
                 "r"(scale_b), "n"(byte))

/// Lanes 2 and 3 of a quad have the scale factors of two rows of A, lane 2 those of a column of B.
template <bool kOf16, int kByte>
HEDDLE_INLINE void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned* b,
                            unsigned scale_a, unsigned scale_b) {
  if constexpr (kOf16)
    MULTIPLY("kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 0);
  else
    MULTIPLY("kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", kByte);
}

/// Scale factors are stored line by line, four bytes are those of 64 elements, or of 128. All of
/// those that the instruction does not take are NaN.
template <bool kOf16>
HEDDLE_INLINE void gemm(const char* a, const char* b, const unsigned* scales_a,
                        const unsigned* scales_b, float* d, int n, int k) {
  __shared__ __align__(128) char tile_a[kRows * kStepBytes], tile_b[kColumns * kStepBytes];
  unsigned thread = threadIdx.x, warp = uniform_warp(), lane = lane_id();
  int pitch = k / 2, words = kOf16 ? k / 64 : k / 128;
  a += (blockIdx.y * kRows + thread / 2) * pitch + thread % 2 * 16;
  b += (blockIdx.x * kColumns + thread / 2) * pitch + thread % 2 * 16;
  unsigned row = blockIdx.y * kRows + warp * 16 + lane / 4,
           column = blockIdx.x * kColumns + lane / 4;
  float sums[4][4] = {};
  for (int step = 0; step < k / 64; ++step) {
    copy_async(shared_address(tile_a) + thread * 16, a + step * kStepBytes);
    if (thread < kColumns * 2)
      copy_async(shared_address(tile_b) + thread * 16, b + step * kStepBytes);
    asm volatile("cp.async.wait_all;" : : : "memory");
    __syncthreads();
    unsigned of_a[4], of_b[4][2], word = kOf16 ? step : step / 2;
    load_matrices(of_a,
                  shared_address(tile_a) + (warp * 16 + lane % 16) * kStepBytes + lane / 16 * 16);
    for (int i = 0; i < 4; i += 2) {
      unsigned pair[4];
      load_matrices(pair, shared_address(tile_b) + (i * 8 + lane % 8 + lane / 16 * 8) * kStepBytes +
                              lane / 8 % 2 * 16);
      of_b[i][0] = pair[0], of_b[i][1] = pair[1], of_b[i + 1][0] = pair[2],
      of_b[i + 1][1] = pair[3];
    }
    unsigned scale_a = lane % 4 < 2 ? ~0u : scales_a[(row + lane % 2 * 8) * words + word];
    for (int i = 0; i < 4; ++i) {
      unsigned scale_b = lane % 4 != 2 ? ~0u : scales_b[(column + i * 8) * words + word];
      if (step % 2 == 0)
        multiply<kOf16, 0>(sums[i], of_a, of_b[i], scale_a, scale_b);
      else
        multiply<kOf16, 2>(sums[i], of_a, of_b[i], scale_a, scale_b);
    }
    __syncthreads();
  }
  d += row * n + blockIdx.x * kColumns + lane % 4 * 2;
  for (int i = 0; i < 4; ++i) {
    *(float2*)(d + i * 8) = float2{sums[i][0], sums[i][1]};
    *(float2*)(d + 8 * n + i * 8) = float2{sums[i][2], sums[i][3]};
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    gemm_nvfp4(const char* a, const char* b, const unsigned* scales_a, const unsigned* scales_b,
               float* d, int n, int k) {
  gemm<true>(a, b, scales_a, scales_b, d, n, k);
}
extern "C" __global__ void __launch_bounds__(128)
    gemm_mxfp4(const char* a, const char* b, const unsigned* scales_a, const unsigned* scales_b,
               float* d, int n, int k) {
  gemm<false>(a, b, scales_a, scales_b, d, n, k);
}
