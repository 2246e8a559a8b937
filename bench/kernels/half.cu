// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halves per thread in one register: fma.rn.f16x2.
#include "portable.h"

#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define FMA_HALF2(a, b, c) fma(a, b, c)
#else
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
#define FMA_HALF2(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif

KERNEL((256, 1, 1)) haxpy(int pairs, float a, GLOBAL const half2* x, GLOBAL half2* y) {
  int i = BLOCK_X * 256 + THREAD_X;
  if (i < pairs) y[i] = FMA_HALF2((half2)a, x[i], y[i]);
}
