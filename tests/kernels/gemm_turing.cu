// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with the matrix instructions of sm_75, several for each fragment.
#include "scaled_gemm.h"

struct F16Turing {
  using Sum = float;
  static constexpr int kSums = 4;
  static __device__ void add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    add_half(d, a[0], a[1], b0);
    add_half(d, a[2], a[3], b1);
  }
  static __device__ void add_half(float (&d)[4], unsigned a0, unsigned a1, unsigned b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(b));
  }
};

// `instruction` computes 8 x 8 elements from 16 bytes of each row.
#define QUARTERS(Name, instruction)                                                             \
  struct Name {                                                                                 \
    using Sum = int;                                                                            \
    static constexpr int kSums = 4;                                                             \
    static __device__ void add(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { \
      add_quarter(d, a[0], b0);                                                                 \
      add_quarter(d, a[2], b1);                                                                 \
      add_quarter(d + 2, a[1], b0);                                                             \
      add_quarter(d + 2, a[3], b1);                                                             \
    }                                                                                           \
    static __device__ void add_quarter(int* d, unsigned a, unsigned b) {                        \
      asm volatile(instruction " {%0, %1}, {%2}, {%3}, {%0, %1};"                               \
                   : "+r"(d[0]), "+r"(d[1])                                                     \
                   : "r"(a), "r"(b));                                                           \
    }                                                                                           \
  };
QUARTERS(S8Turing, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32")
QUARTERS(B1Turing, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc")

SCALED_PRODUCT(f16_tt, F16Turing, AlongK, AcrossK)
WHOLE_PRODUCT(s8_tn, S8Turing)
WHOLE_PRODUCT(b1_tn, B1Turing)
