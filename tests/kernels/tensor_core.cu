// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor-core products (mma.sync, sm_80) of whole numbers: exact whatever the order of adding.
#include "device.h"

// D = A * B + C for 16 x 16 halves times 16 x 8 halves in f32, one warp. A is row major, B column
// major (as pairs of halves), C and D row major.
extern "C" __global__ void mma_f16(const unsigned* a, const unsigned* b, const float* c, float* d) {
  int group = threadIdx.x / 4;
  int place = threadIdx.x % 4;
  unsigned a0 = a[group * 8 + place];
  unsigned a1 = a[(group + 8) * 8 + place];
  unsigned a2 = a[group * 8 + place + 4];
  unsigned a3 = a[(group + 8) * 8 + place + 4];
  unsigned b0 = b[group * 8 + place];
  unsigned b1 = b[group * 8 + place + 4];
  int upper = group * 8 + place * 2;
  int lower = upper + 64;
  float d0, d1, d2, d3;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c[upper]), "f"(c[upper + 1]),
        "f"(c[lower]), "f"(c[lower + 1]));
  d[upper] = d0;
  d[upper + 1] = d1;
  d[lower] = d2;
  d[lower + 1] = d3;
}

// The same for 16 x 32 signed bytes times 32 x 8 signed bytes in s32.
extern "C" __global__ void mma_s8(const unsigned* a, const unsigned* b, const int* c, int* d) {
  int group = threadIdx.x / 4;
  int place = threadIdx.x % 4;
  unsigned a0 = a[group * 8 + place];
  unsigned a1 = a[(group + 8) * 8 + place];
  unsigned a2 = a[group * 8 + place + 4];
  unsigned a3 = a[(group + 8) * 8 + place + 4];
  unsigned b0 = b[group * 8 + place];
  unsigned b1 = b[group * 8 + place + 4];
  int upper = group * 8 + place * 2;
  int lower = upper + 64;
  int d0, d1, d2, d3;
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(c[upper]), "r"(c[upper + 1]),
        "r"(c[lower]), "r"(c[lower + 1]));
  d[upper] = d0;
  d[upper + 1] = d1;
  d[lower] = d2;
  d[lower + 1] = d3;
}
