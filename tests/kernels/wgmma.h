// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma for the test kernels, as inline PTX. For nvcc.
#pragma once

#include "matrix_pipeline.h"

HEDDLE_INLINE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
HEDDLE_INLINE void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}
template <int kGroups>
HEDDLE_INLINE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kGroups) : "memory");
}

/// A matrix in shared memory with 128-byte swizzling.
HEDDLE_INLINE unsigned long long swizzled_descriptor(unsigned start, unsigned leading,
                                                     unsigned stride) {
  constexpr unsigned long long kSwizzle128 = 1;
  return (start & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 |
         (unsigned long long)(stride >> 4) << 32 | kSwizzle128 << 62;
}

/// Sixteen columns from 16 * k on of a K-major swizzled tile of 64 rows, as registers.
HEDDLE_INLINE void load_fragment(unsigned tile, int k, unsigned (&to)[4]) {
  unsigned row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 16;
  unsigned chunk = 2 * k + threadIdx.x % 32 / 16;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(tile + row * kLine + (chunk ^ row % 8) * 16)
               : "memory");
}

/// Stores accumulators of 64 x 128 as f16, rows of 256 bytes.
HEDDLE_INLINE void store_halves(unsigned to, const float (&sums)[64]) {
  unsigned row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 16;
#pragma unroll
  for (int i = 0; i < 64; i += 8) {
    unsigned halves[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm("cvt.rn.f16x2.f32 %0, %1, %2;"
          : "=r"(halves[j])
          : "f"(sums[i + 2 * j + 1]), "f"(sums[i + 2 * j]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(to + row * 256 + (i / 8 * 2 + threadIdx.x % 32 / 16) * 16), "r"(halves[0]),
                   "r"(halves[1]), "r"(halves[2]), "r"(halves[3])
                 : "memory");
  }
}

#define SUMS_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS_16(d, i) SUMS_4(d, i), SUMS_4(d, i + 4), SUMS_4(d, i + 8), SUMS_4(d, i + 12)
#define SUMS_64(d) SUMS_16(d, 0), SUMS_16(d, 16), SUMS_16(d, 32), SUMS_16(d, 48)
#define LIST_64                                                                 \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "     \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, " \
  "%31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, " \
  "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, " \
  "%61, %62, %63}"

/// sums += A * B, 64 x 16 and 16 x 128 elements of f16.
template <bool kRowsOfB>
HEDDLE_INLINE void wgmma_128(float (&sums)[64], unsigned long long a, unsigned long long b,
                             bool accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %66, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " LIST_64
      ", %64, %65, p, 1, 1, 0, %67;\n\t"
      "}"
      : SUMS_64(sums)
      : "l"(a), "l"(b), "r"((unsigned)accumulate), "n"((int)kRowsOfB));
}
template <bool kRowsOfB>
HEDDLE_INLINE void wgmma_128_registers(float (&sums)[64], const unsigned (&a)[4],
                                       unsigned long long b, bool accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %69, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " LIST_64
      ", {%64, %65, %66, %67}, %68, p, 1, 1, %70;\n\t"
      "}"
      : SUMS_64(sums)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((unsigned)accumulate),
        "n"((int)kRowsOfB));
}
/// The same for e4m3: 64 x 32 and 32 x 128 elements.
HEDDLE_INLINE void wgmma_128_e4m3(float (&sums)[64], unsigned long long a, unsigned long long b,
                                  bool accumulate) {
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.ne.b32 p, %66, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 " LIST_64
      ", %64, %65, p, 1, 1;\n\t"
      "}"
      : SUMS_64(sums)
      : "l"(a), "l"(b), "r"((unsigned)accumulate));
}
