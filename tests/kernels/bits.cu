// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit manipulation: counts, reversal, funnel shifts, byte permutation, dot products of bytes, bit
// fields and three-input logic.
#include "device.h"

constexpr int kResults = 19;

extern "C" __global__ void bit_operations(const unsigned* a, const unsigned* b, const unsigned* c,
                                          unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  unsigned z = c[i];
  unsigned* result = out + i * kResults;
  result[0] = __popc(x);
  result[1] = __clz(x);
  result[2] = __brev(x);
  result[3] = __ffs(x);
  result[4] = __funnelshift_l(x, y, z);
  result[5] = __funnelshift_r(x, y, z);
  result[6] = __funnelshift_lc(x, y, z & 63);
  result[7] = __funnelshift_rc(x, y, z & 63);
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result[8]) : "r"(x), "r"(y), "r"(z));
  result[9] = __dp4a((int)x, (int)y, (int)z);
  result[10] = __dp4a(x, y, z);
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result[11]) : "r"(x), "r"(y & 63), "r"(z & 63));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(result[12]) : "r"(x), "r"(y & 63), "r"(z & 63));
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(result[13])
      : "r"(x), "r"(y), "r"(z & 63), "r"(z >> 6 & 63));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(result[14]) : "r"(x), "r"(y), "r"(z));
  asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(result[15]) : "r"(x), "r"(y), "r"(z));
  asm("bfind.u32 %0, %1;" : "=r"(result[16]) : "r"(x));
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(result[17]) : "r"(x));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(result[18]) : "r"(x), "r"(y), "r"(z));
}
