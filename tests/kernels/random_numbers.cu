// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random number generators: xoshiro128** with its state kept in memory, counter-based Philox
// 4x32-10, and an estimate of pi whose hits are exact integers.
#include "device.h"

static __device__ unsigned rotated(unsigned v, int n) { return v << n | v >> (32 - n); }

static __device__ unsigned next(uint4& s) {
  unsigned result = rotated(s.y * 5, 7) * 9;
  unsigned t = s.y << 9;
  s.z ^= s.x;
  s.w ^= s.y;
  s.y ^= s.z;
  s.x ^= s.w;
  s.z ^= t;
  s.w = rotated(s.w, 11);
  return result;
}

extern "C" __global__ void xoshiro(uint4* states, unsigned* out, int per_thread) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 state = states[i];
  for (int k = 0; k < per_thread; ++k) out[i * per_thread + k] = next(state);
  states[i] = state;
}

extern "C" __global__ void philox(unsigned key0, unsigned key1, uint4* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 c = {i, blockIdx.x, 0, 7};
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xd2511f53u, c.x);
    unsigned low0 = 0xd2511f53u * c.x;
    unsigned high1 = __umulhi(0xcd9e8d57u, c.z);
    unsigned low1 = 0xcd9e8d57u * c.z;
    c = {high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  out[i] = c;
}

extern "C" __global__ void points_in_circle(uint4* states, int per_thread, unsigned* hits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 state = states[i];
  unsigned mine = 0;
  for (int k = 0; k < per_thread; ++k) {
    unsigned long long x = next(state) >> 1;
    unsigned long long y = next(state) >> 1;
    mine += x * x + y * y < 1ull << 62;
  }
  atomicAdd(hits, mine);
}
