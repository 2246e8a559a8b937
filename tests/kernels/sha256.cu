// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 (FIPS 180-4), one message of whole padded blocks per thread; the round constants are in
// constant memory.
#include "device.h"

__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ unsigned rotated(unsigned v, int n) { return v >> n | v << (32 - n); }

// message: big-endian bytes, blocks * 64 per thread, already padded.
extern "C" __global__ void sha256(const unsigned char* message, int blocks, unsigned* digests,
                                  int count) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char* at = message + (unsigned long long)thread * blocks * 64;
  for (int block = 0; block < blocks; ++block, at += 64) {
    unsigned w[16];
    for (int i = 0; i < 16; ++i) {
      w[i] = at[4 * i] << 24 | at[4 * i + 1] << 16 | at[4 * i + 2] << 8 | at[4 * i + 3];
    }
    unsigned s[8];
    for (int i = 0; i < 8; ++i) s[i] = h[i];
    for (int i = 0; i < 64; ++i) {
      if (i >= 16) {
        unsigned w15 = w[(i + 1) % 16];
        unsigned w2 = w[(i + 14) % 16];
        w[i % 16] += w[(i + 9) % 16] + (rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3) +
                     (rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10);
      }
      unsigned t1 = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                    ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i % 16];
      unsigned t2 = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      for (int k = 7; k > 0; --k) s[k] = s[k - 1];
      s[4] += t1;
      s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) h[i] += s[i];
  }
  for (int i = 0; i < 8; ++i) digests[thread * 8 + i] = h[i];
}
