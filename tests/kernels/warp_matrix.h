// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions of a warp and asynchronous copies, as inline PTX.
#pragma once

#include "barrier_object.h"

// Four 8x8 matrices of 16-bit elements; lane i has the address of row i % 8 of matrix i / 8.
HEDDLE_INLINE void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
HEDDLE_INLINE void load_transposed(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

// Copies `bytes` of 16 bytes, and zero-fills the others. Before sm_80 every copy is finished at
// once.
#if __CUDA_ARCH__ >= 800
HEDDLE_INLINE void copy_async(unsigned to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(from), "r"(bytes)
               : "memory");
}
HEDDLE_INLINE void commit_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
template <int kPending>
HEDDLE_INLINE void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(kPending) : "memory");
}
#else
HEDDLE_INLINE void copy_async(unsigned to, const void* from, int bytes) {
  uint4 chunk = {0, 0, 0, 0};
  if (bytes == 16)
    chunk = *(const uint4*)from;
  else
    for (int i = 0; i < bytes; ++i) ((char*)&chunk)[i] = ((const char*)from)[i];
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
               : "memory");
}
HEDDLE_INLINE void commit_copies() {}
template <int kPending>
HEDDLE_INLINE void wait_for_copies() {}
#endif

// Two floats as halves, `low` in the lower bits.
HEDDLE_INLINE unsigned pack_halves(float low, float high) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// D += A * B for one fragment of 32 bytes of A's rows. `kSums` registers of D in each lane.
#define MATRIX_PRODUCT(Name, Type, constraint, instruction)                                        \
  struct Name {                                                                                    \
    using Sum = Type;                                                                              \
    static constexpr int kSums = 4;                                                                \
    static __device__ __attribute__((always_inline)) void add(Sum (&d)[4], const unsigned (&a)[4], \
                                                              unsigned b0, unsigned b1) {          \
      asm volatile(instruction                                                                     \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                               \
                   "{%0, %1, %2, %3};"                                                             \
                   : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),             \
                     "+" constraint(d[3])                                                          \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                \
    }                                                                                              \
  };
MATRIX_PRODUCT(F16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MATRIX_PRODUCT(Bf16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MATRIX_PRODUCT(Tf32, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MATRIX_PRODUCT(S8, int, "r", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32")
MATRIX_PRODUCT(U8S8, int, "r", "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32")
MATRIX_PRODUCT(S4, int, "r", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32")
MATRIX_PRODUCT(B1Xor, int, "r", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
MATRIX_PRODUCT(E5m2E4m3, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32")
#undef MATRIX_PRODUCT

// Sums in half precision, two in a register.
struct F16Halves {
  using Sum = unsigned;
  static constexpr int kSums = 2;
  static __device__ __attribute__((always_inline)) void add(Sum (&d)[2], const unsigned (&a)[4],
                                                            unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};
