// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision (f16 and bf16), scalar and packed, written as PTX so that every compiler emits the
// same instructions. The host side computes in float and rounds once.
#include "device.h"

typedef unsigned short half_bits;

static __device__ half_bits add_f16(half_bits a, half_bits b) {
  half_bits r;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));
  return r;
}
static __device__ half_bits mul_f16(half_bits a, half_bits b) {
  half_bits r;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));
  return r;
}
static __device__ half_bits fma_f16(half_bits a, half_bits b, half_bits c) {
  half_bits r;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));
  return r;
}
static __device__ float to_float(half_bits a) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
  return r;
}
static __device__ half_bits to_half(float a) {
  half_bits r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
  return r;
}

constexpr int kResults = 4;

extern "C" __global__ void half_operations(const half_bits* a, const half_bits* b,
                                           const half_bits* c, half_bits* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i * kResults + 0] = add_f16(a[i], b[i]);
  out[i * kResults + 1] = mul_f16(a[i], b[i]);
  out[i * kResults + 2] = fma_f16(a[i], b[i], c[i]);
  out[i * kResults + 3] = to_half(to_float(a[i]) * 3.0f);
}

// All 65536 halves to float, and back with rounding to zero.
extern "C" __global__ void half_to_float(float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 65536) out[i] = to_float((half_bits)i);
}

extern "C" __global__ void float_to_half(const float* in, half_bits* nearest, half_bits* truncated,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  nearest[i] = to_half(in[i]);
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(truncated[i]) : "f"(in[i]));
}

// y = a * x + y on pairs, low half and high half side by side.
extern "C" __global__ void half2_axpy(unsigned a, const unsigned* x, unsigned* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(y[i]) : "r"(a), "r"(x[i]));
}
