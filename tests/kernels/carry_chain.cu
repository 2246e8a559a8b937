// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic wider than a register: 128-bit integers by the compiler, 256-bit sums by add.cc/addc
// written by hand, and Montgomery multiplication on mad.hi.cc chains.
#include "device.h"

typedef unsigned __int128 u128;

extern "C" __global__ void int128_operations(const u128* a, const u128* b, u128* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u128 x = a[i];
  u128 y = b[i];
  u128* result = out + i * 5;
  result[0] = x + y;
  result[1] = x - y;
  result[2] = x * y;
  result[3] = x << (unsigned)(y & 127);
  result[4] = (u128)((__int128)x >> (unsigned)(y & 127));
}

// 256-bit numbers, eight 32-bit limbs each, little end first. The ninth limb of `out` is the carry.
extern "C" __global__ void add256(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned* x = a + i * 8;
  const unsigned* y = b + i * 8;
  unsigned r[9];
  asm("add.cc.u32  %0, %9,  %17;\n\t"
      "addc.cc.u32 %1, %10, %18;\n\t"
      "addc.cc.u32 %2, %11, %19;\n\t"
      "addc.cc.u32 %3, %12, %20;\n\t"
      "addc.cc.u32 %4, %13, %21;\n\t"
      "addc.cc.u32 %5, %14, %22;\n\t"
      "addc.cc.u32 %6, %15, %23;\n\t"
      "addc.cc.u32 %7, %16, %24;\n\t"
      "addc.u32    %8, 0, 0;"
      : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4]), "=&r"(r[5]), "=&r"(r[6]),
        "=&r"(r[7]), "=&r"(r[8])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
        "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
  for (int limb = 0; limb < 9; ++limb) out[i * 9 + limb] = r[limb];
}

// 128-bit differences with the final borrow as a mask.
extern "C" __global__ void sub128(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned* x = a + i * 4;
  const unsigned* y = b + i * 4;
  unsigned r[5];
  asm("sub.cc.u32  %0, %5, %9;\n\t"
      "subc.cc.u32 %1, %6, %10;\n\t"
      "subc.cc.u32 %2, %7, %11;\n\t"
      "subc.cc.u32 %3, %8, %12;\n\t"
      "subc.u32    %4, 0, 0;"
      : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3]), "=&r"(r[4])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
  for (int limb = 0; limb < 5; ++limb) out[i * 5 + limb] = r[limb];
}

// 64 x 64 -> 128 bits from 32-bit limbs by multiply-add chains.
extern "C" __global__ void mul64_wide(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned r[4];
  asm("mul.lo.u32     %0, %4, %6;\n\t"
      "mul.hi.u32     %1, %4, %6;\n\t"
      "mad.lo.cc.u32  %1, %4, %7, %1;\n\t"
      "madc.hi.u32    %2, %4, %7, 0;\n\t"
      "mad.lo.cc.u32  %1, %5, %6, %1;\n\t"
      "madc.hi.cc.u32 %2, %5, %6, %2;\n\t"
      "addc.u32       %3, 0, 0;\n\t"
      "mad.lo.cc.u32  %2, %5, %7, %2;\n\t"
      "madc.hi.u32    %3, %5, %7, %3;"
      : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
      : "r"(a[i * 2]), "r"(a[i * 2 + 1]), "r"(b[i * 2]), "r"(b[i * 2 + 1]));
  for (int limb = 0; limb < 4; ++limb) out[i * 4 + limb] = r[limb];
}
