// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8- and 16-bit integers: loads that extend, arithmetic in wider registers, stores that truncate.
#include "device.h"

constexpr int kResults = 10;

extern "C" __global__ void narrow_operations(const signed char* a, const unsigned char* b,
                                             const short* c, const unsigned short* d, int* out,
                                             int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* result = out + i * kResults;
  result[0] = a[i] + b[i];
  result[1] = (signed char)(a[i] * 3);
  result[2] = (unsigned char)(b[i] + c[i]);
  result[3] = (short)(c[i] * d[i]);
  result[4] = (unsigned short)(c[i] - d[i]);
  result[5] = (short)c[i] >> 3;
  result[6] = d[i] == 0 ? 0 : c[i] / d[i];
  result[7] = b[i] == 0 ? 0 : (unsigned char)d[i] % b[i];
  result[8] = a[i] < (signed char)b[i];
  result[9] = (unsigned short)(d[i] << (b[i] & 15)) | (b[i] << 24);
}

// In place, one element per thread, bytes next to each other.
extern "C" __global__ void rotate_bytes(unsigned char* bytes, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bytes[i] = (bytes[i] << by) | (bytes[i] >> (8 - by));
}

// Four pixels at a time: vector loads of bytes, saturating arithmetic, vector stores.
extern "C" __global__ void blend(const uchar4* a, const uchar4* b, uchar4* out, int weight, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = a[i];
  uchar4 q = b[i];
  uchar4 r;
  r.x = (p.x * weight + q.x * (256 - weight)) >> 8;
  r.y = p.y + q.y > 255 ? 255 : p.y + q.y;
  r.z = p.z > q.z ? p.z - q.z : 0;
  r.w = (p.w + q.w + 1) / 2;
  out[i] = r;
}
