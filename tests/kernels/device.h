// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CUDA C++ that the test kernels use, so that clang compiles them with no CUDA toolkit
// installed (`-nocudainc -nocudalib`). nvcc has all of this built in, so for nvcc this file is
// empty. Names and meanings are those of the CUDA C++ Programming Guide.
#pragma once

#if defined(__clang__) && defined(__CUDA__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define HEDDLE_DEVICE static inline __device__ __attribute__((always_inline))

// threadIdx, blockIdx, blockDim, gridDim: reading a member reads the special register.
#define HEDDLE_INDEX_TYPE(Type, sreg)                                             \
  struct Type {                                                                   \
    __declspec(property(get = read_x)) unsigned x;                                \
    __declspec(property(get = read_y)) unsigned y;                                \
    __declspec(property(get = read_z)) unsigned z;                                \
    HEDDLE_DEVICE unsigned read_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); } \
    HEDDLE_DEVICE unsigned read_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); } \
    HEDDLE_DEVICE unsigned read_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); } \
  };
HEDDLE_INDEX_TYPE(HeddleTid, tid)
HEDDLE_INDEX_TYPE(HeddleNtid, ntid)
HEDDLE_INDEX_TYPE(HeddleCtaid, ctaid)
HEDDLE_INDEX_TYPE(HeddleNctaid, nctaid)
#undef HEDDLE_INDEX_TYPE
extern const __device__ __attribute__((weak)) HeddleTid threadIdx;
extern const __device__ __attribute__((weak)) HeddleNtid blockDim;
extern const __device__ __attribute__((weak)) HeddleCtaid blockIdx;
extern const __device__ __attribute__((weak)) HeddleNctaid gridDim;

// Vector types: the alignment makes them one access.
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(4) short2 {
  short x, y;
};

// Barriers and fences. (__syncthreads is a clang builtin.)
HEDDLE_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
HEDDLE_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
HEDDLE_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
HEDDLE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
HEDDLE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
HEDDLE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
HEDDLE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

// Warp shuffles. The last operand packs the clamp and the segment mask (PTX ISA 9.7.9.6).
#define HEDDLE_SHUFFLE(name, mode, lane_type, clamp)                                         \
  HEDDLE_DEVICE int name(unsigned mask, int v, lane_type lane, int width = 32) {             \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, ((32 - width) << 8) | clamp);        \
  }                                                                                          \
  HEDDLE_DEVICE unsigned name(unsigned mask, unsigned v, lane_type lane, int width = 32) {   \
    return __nvvm_shfl_sync_##mode##_i32(mask, v, lane, ((32 - width) << 8) | clamp);        \
  }                                                                                          \
  HEDDLE_DEVICE float name(unsigned mask, float v, lane_type lane, int width = 32) {         \
    return __nvvm_shfl_sync_##mode##_f32(mask, v, lane, ((32 - width) << 8) | clamp);        \
  }                                                                                          \
  HEDDLE_DEVICE unsigned long long name(unsigned mask, unsigned long long v, lane_type lane, \
                                        int width = 32) {                                    \
    unsigned low = name(mask, (unsigned)v, lane, width);                                     \
    unsigned high = name(mask, (unsigned)(v >> 32), lane, width);                            \
    return (unsigned long long)high << 32 | low;                                             \
  }
HEDDLE_SHUFFLE(__shfl_sync, idx, int, 31)
HEDDLE_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
HEDDLE_SHUFFLE(__shfl_down_sync, down, unsigned, 31)
HEDDLE_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef HEDDLE_SHUFFLE

// Votes and matches.
HEDDLE_DEVICE unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p);
}
HEDDLE_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
HEDDLE_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
HEDDLE_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned v) {
  return __nvvm_match_any_sync_i32(mask, v);
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned long long v) {
  return __nvvm_match_any_sync_i64(mask, v);
}
HEDDLE_DEVICE unsigned __match_all_sync(unsigned mask, unsigned v, int* all) {
  return __nvvm_match_all_sync_i32p(mask, v, all);
}

// Atomics: relaxed, device scope.
HEDDLE_DEVICE int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
HEDDLE_DEVICE unsigned atomicAdd(unsigned* p, unsigned v) {
  return __nvvm_atom_add_gen_i((int*)p, v);
}
HEDDLE_DEVICE unsigned long long atomicAdd(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_add_gen_ll((long long*)p, v);
}
HEDDLE_DEVICE float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
HEDDLE_DEVICE double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
HEDDLE_DEVICE int atomicSub(int* p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
HEDDLE_DEVICE int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
HEDDLE_DEVICE unsigned atomicMin(unsigned* p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
HEDDLE_DEVICE long long atomicMin(long long* p, long long v) {
  return __nvvm_atom_min_gen_ll(p, v);
}
HEDDLE_DEVICE unsigned long long atomicMin(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_min_gen_ull(p, v);
}
HEDDLE_DEVICE int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
HEDDLE_DEVICE unsigned atomicMax(unsigned* p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
HEDDLE_DEVICE long long atomicMax(long long* p, long long v) {
  return __nvvm_atom_max_gen_ll(p, v);
}
HEDDLE_DEVICE unsigned long long atomicMax(unsigned long long* p, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(p, v);
}
#define HEDDLE_BIT_ATOMIC(name, op)                                                    \
  HEDDLE_DEVICE unsigned name(unsigned* p, unsigned v) {                               \
    return __nvvm_atom_##op##_gen_i((int*)p, v);                                       \
  }                                                                                    \
  HEDDLE_DEVICE unsigned long long name(unsigned long long* p, unsigned long long v) { \
    return __nvvm_atom_##op##_gen_ll((long long*)p, v);                                \
  }
HEDDLE_BIT_ATOMIC(atomicAnd, and)
HEDDLE_BIT_ATOMIC(atomicOr, or)
HEDDLE_BIT_ATOMIC(atomicXor, xor)
HEDDLE_BIT_ATOMIC(atomicExch, xchg)
#undef HEDDLE_BIT_ATOMIC
HEDDLE_DEVICE unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
HEDDLE_DEVICE unsigned atomicDec(unsigned* p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
HEDDLE_DEVICE int atomicCAS(int* p, int compare, int v) {
  return __nvvm_atom_cas_gen_i(p, compare, v);
}
HEDDLE_DEVICE unsigned atomicCAS(unsigned* p, unsigned compare, unsigned v) {
  return __nvvm_atom_cas_gen_i((int*)p, compare, v);
}
HEDDLE_DEVICE unsigned long long atomicCAS(unsigned long long* p, unsigned long long compare,
                                           unsigned long long v) {
  return __nvvm_atom_cas_gen_ll((long long*)p, compare, v);
}

// Bits.
HEDDLE_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
HEDDLE_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
HEDDLE_DEVICE int __clz(int v) { return v == 0 ? 32 : __builtin_clz(v); }
HEDDLE_DEVICE int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll(v); }
HEDDLE_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
HEDDLE_DEVICE int __ffsll(long long v) { return __builtin_ffsll(v); }
HEDDLE_DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long v) {
  return __builtin_bitreverse64(v);
}
HEDDLE_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  unsigned r;
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(n));
  return r;
}
HEDDLE_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
  unsigned r;
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(n));
  return r;
}
HEDDLE_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n) {
  unsigned r;
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(n));
  return r;
}
HEDDLE_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n) {
  unsigned r;
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(n));
  return r;
}
HEDDLE_DEVICE int __dp4a(int a, int b, int c) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
HEDDLE_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  unsigned r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
HEDDLE_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
HEDDLE_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
HEDDLE_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}

// Reinterpretations.
HEDDLE_DEVICE int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
HEDDLE_DEVICE unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
HEDDLE_DEVICE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
HEDDLE_DEVICE float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
HEDDLE_DEVICE long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
HEDDLE_DEVICE double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }

// Correctly rounded arithmetic.
HEDDLE_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HEDDLE_DEVICE float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
HEDDLE_DEVICE double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }
HEDDLE_DEVICE float fabsf(float v) { return __builtin_fabsf(v); }
HEDDLE_DEVICE double fabs(double v) { return __builtin_fabs(v); }
HEDDLE_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
HEDDLE_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
HEDDLE_DEVICE float floorf(float v) { return __nvvm_floor_f(v); }
HEDDLE_DEVICE float ceilf(float v) { return __nvvm_ceil_f(v); }
HEDDLE_DEVICE float truncf(float v) { return __nvvm_trunc_f(v); }
#define HEDDLE_ROUNDED(cuda, ptx)                                                               \
  HEDDLE_DEVICE float __fadd_##cuda(float a, float b) { return __nvvm_add_##ptx##_f(a, b); }    \
  HEDDLE_DEVICE float __fmul_##cuda(float a, float b) { return __nvvm_mul_##ptx##_f(a, b); }    \
  HEDDLE_DEVICE float __fdiv_##cuda(float a, float b) { return __nvvm_div_##ptx##_f(a, b); }    \
  HEDDLE_DEVICE float __frcp_##cuda(float v) { return __nvvm_rcp_##ptx##_f(v); }                \
  HEDDLE_DEVICE float __fsqrt_##cuda(float v) { return __nvvm_sqrt_##ptx##_f(v); }              \
  HEDDLE_DEVICE float __fmaf_##cuda(float a, float b, float c) {                                \
    return __nvvm_fma_##ptx##_f(a, b, c);                                                       \
  }                                                                                             \
  HEDDLE_DEVICE double __dadd_##cuda(double a, double b) { return __nvvm_add_##ptx##_d(a, b); } \
  HEDDLE_DEVICE double __dmul_##cuda(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); } \
  HEDDLE_DEVICE double __ddiv_##cuda(double a, double b) { return __nvvm_div_##ptx##_d(a, b); } \
  HEDDLE_DEVICE double __dsqrt_##cuda(double v) { return __nvvm_sqrt_##ptx##_d(v); }
HEDDLE_ROUNDED(rn, rn)
HEDDLE_ROUNDED(rz, rz)
HEDDLE_ROUNDED(rd, rm)
HEDDLE_ROUNDED(ru, rp)
#undef HEDDLE_ROUNDED

#undef HEDDLE_DEVICE
#endif
