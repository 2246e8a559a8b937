// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit integer arithmetic: products of all widths, division, shifts, comparisons, bit counts.
#include "device.h"

constexpr int kResults = 20;

extern "C" __global__ void int64_operations(int n, const unsigned long long* a,
                                            const unsigned long long* b, unsigned long long* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long ux = a[i];
  unsigned long long uy = b[i];
  long long x = ux;
  long long y = uy;
  bool divides = uy != 0 && !(y == -1 && ux == 1ull << 63);
  unsigned long long* result = out + i * kResults;
  result[0] = ux + uy;
  result[1] = ux - uy;
  result[2] = ux * uy;
  result[3] = __umul64hi(ux, uy);
  result[4] = __mul64hi(x, y);
  result[5] = divides ? ux / uy : 0;
  result[6] = divides ? ux % uy : 0;
  result[7] = divides ? x / y : 0;
  result[8] = divides ? x % y : 0;
  result[9] = ux << (uy & 63);
  result[10] = ux >> (uy & 63);
  result[11] = x >> (uy & 63);
  result[12] = x < y ? ux : uy;
  result[13] = ux < uy ? ux : uy;
  result[14] = __popcll(ux) + 100 * __clzll(ux) + 10000 * __ffsll(ux);
  result[15] = __brevll(ux);
  result[16] = (unsigned long long)(unsigned)ux * (unsigned)uy;
  result[17] = (long long)(int)ux * (int)uy;
  result[18] = (long long)(int)ux + (short)uy;
  result[19] =
      __umulhi((unsigned)ux, (unsigned)uy) + 0x100000000ull * (unsigned)__mulhi((int)ux, (int)uy);
}

// Division by constants becomes multiplication by their reciprocals.
extern "C" __global__ void divide_by_constants(int n, const long long* a, long long* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long x = a[i];
  unsigned long long ux = x;
  out[i * 6 + 0] = x / 10;
  out[i * 6 + 1] = x % 1000000007;
  out[i * 6 + 2] = ux / 7;
  out[i * 6 + 3] = ux % 641;
  out[i * 6 + 4] = x / -16;
  out[i * 6 + 5] = (int)x / 7 + (unsigned)ux % 10;
}
