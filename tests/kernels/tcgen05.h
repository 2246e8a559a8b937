// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05 for the test kernels, as inline PTX. For nvcc. `kCtas` is the number of CTAs that take
// part in an instruction.
#pragma once

#include "matrix_pipeline.h"

// --- allocation, by a whole warp ---

template <int kCtas>
HEDDLE_INLINE void tensor_allocate(unsigned place, unsigned columns) {
  if constexpr (kCtas == 2) {
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(place), "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
  } else {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(place), "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
}
template <int kCtas>
HEDDLE_INLINE void tensor_free(unsigned at, unsigned columns) {
  if constexpr (kCtas == 2)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" : : "r"(at), "r"(columns));
  else
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" : : "r"(at), "r"(columns));
}

// --- order ---

HEDDLE_INLINE void fence_before_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory");
}
HEDDLE_INLINE void fence_after_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory");
}
/// The barrier object gets an arrival when all operations issued by this thread are done; with a
/// pair, those of both CTAs do.
template <int kCtas>
HEDDLE_INLINE void tensor_commit(unsigned barrier) {
  if constexpr (kCtas == 2)
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
        " [%0], %1;"
        :
        : "r"(barrier), "h"((unsigned short)3)
        : "memory");
  else
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 :
                 : "r"(barrier)
                 : "memory");
}

// --- descriptors ---

/// A K-major matrix in shared memory with 128-byte swizzling.
HEDDLE_INLINE unsigned long long tensor_descriptor(unsigned start) {
  constexpr unsigned long long kSwizzle128 = 2;
  return (start & 0x3ffff) >> 4 | 1ull << 16 | (unsigned long long)(8 * kLine >> 4) << 32 |
         1ull << 46 | kSwizzle128 << 61;
}
/// Rows of sixteen bytes, one after the other.
HEDDLE_INLINE unsigned long long rows_descriptor(unsigned start) {
  return (start & 0x3ffff) >> 4 | 1ull << 16 | (128ull >> 4) << 32 | 1ull << 46;
}

/// f32 += f16 * f16.
HEDDLE_INLINE unsigned half_product(unsigned m, unsigned n) {
  return 1 << 4 | n / 8 << 17 | m / 16 << 24;
}
/// f32 += e2m1 * e2m1, by scale factors that begin at byte `id` of their words.
HEDDLE_INLINE unsigned fp4_product(unsigned m, unsigned n, bool ue8m0, unsigned id) {
  return id << 4 | 1 << 7 | 1 << 10 | n / 8 << 17 | (unsigned)ue8m0 << 23 | m / 128 << 27 |
         id << 29;
}

// --- products and copies, by one thread ---

#define TENSOR_MULTIPLY(form, more, ...)                                             \
  asm volatile(                                                                      \
      "{\n\t"                                                                        \
      ".reg .pred p;\n\t"                                                            \
      "setp.ne.b32 p, %4, 0;\n\t"                                                    \
      "tcgen05.mma." form " [%0], %1, %2, %3, " more                                 \
      "p;\n\t"                                                                       \
      "}"                                                                            \
      :                                                                              \
      : "r"(d), "l"(a), "l"(b), "r"(shape), "r"((unsigned)accumulate), ##__VA_ARGS__ \
      : "memory")

template <int kCtas>
HEDDLE_INLINE void multiply_halves(unsigned d, unsigned long long a, unsigned long long b,
                                   unsigned shape, bool accumulate) {
  if constexpr (kCtas == 2)
    TENSOR_MULTIPLY("cta_group::2.kind::f16", "");
  else
    TENSOR_MULTIPLY("cta_group::1.kind::f16", "");
}
/// A scale factor for 16 elements (ue4m3), or for 32 (ue8m0).
template <bool kOf16>
HEDDLE_INLINE void multiply_fp4(unsigned d, unsigned long long a, unsigned long long b,
                                unsigned shape, unsigned scale_a, unsigned scale_b,
                                bool accumulate) {
  if constexpr (kOf16)
    TENSOR_MULTIPLY("cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X", "[%5], [%6], ",
                    "r"(scale_a), "r"(scale_b));
  else
    TENSOR_MULTIPLY("cta_group::1.kind::mxf4.block_scale.scale_vec::2X", "[%5], [%6], ",
                    "r"(scale_a), "r"(scale_b));
}
/// 512 bytes of scale factors go to four columns.
HEDDLE_INLINE void copy_scales(unsigned to, unsigned from) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;"
               :
               : "r"(to), "l"(rows_descriptor(from))
               : "memory");
}

// --- results ---

#define LIST_32                                                                                 \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, " \
  "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define FLOATS_4(d, i) "=f"(d[i]), "=f"(d[i + 1]), "=f"(d[i + 2]), "=f"(d[i + 3])
#define FLOATS_16(d, i) FLOATS_4(d, i), FLOATS_4(d, i + 4), FLOATS_4(d, i + 8), FLOATS_4(d, i + 12)

/// Four warps store `columns` columns of D, a row each thread, to rows of `pitch` elements.
HEDDLE_INLINE void store_rows(float* d, int pitch, unsigned from, int columns) {
  unsigned quarter = uniform_warp() % 4;
  d += (quarter * 32 + lane_id()) * pitch;
  for (int column = 0; column < columns; column += 32) {
    float row[32];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 " LIST_32 ", [%32];"
                 : FLOATS_16(row, 0), FLOATS_16(row, 16)
                 : "r"(from + (quarter << 21) + column)
                 : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory");
#pragma unroll
    for (int i = 0; i < 32; i += 4)
      *(float4*)(d + column + i) = float4{row[i], row[i + 1], row[i + 2], row[i + 3]};
  }
}
