// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximate functions of the hardware, as PTX. Their results have documented error bounds.
#include "device.h"

#define UNARY(instruction, out, in) asm(instruction " %0, %1;" : "=f"(out) : "f"(in))

constexpr int kResults = 8;

extern "C" __global__ void approximate_functions(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  float* result = out + i * kResults;
  UNARY("rsqrt.approx.f32", result[0], fabsf(x));
  UNARY("sqrt.approx.f32", result[1], fabsf(x));
  UNARY("rcp.approx.f32", result[2], x);
  UNARY("ex2.approx.f32", result[3], x);
  UNARY("lg2.approx.f32", result[4], fabsf(x));
  UNARY("sin.approx.f32", result[5], x);
  UNARY("cos.approx.f32", result[6], x);
  UNARY("tanh.approx.f32", result[7], x);
}

extern "C" __global__ void approximate_division(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(out[i * 2]) : "f"(a[i]), "f"(b[i]));
  asm("div.full.f32 %0, %1, %2;" : "=f"(out[i * 2 + 1]) : "f"(a[i]), "f"(b[i]));
}
