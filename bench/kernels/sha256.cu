// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 (FIPS 180-4) of one block per thread; word i of all messages lies together.
#include "portable.h"

CONSTANT unsigned round_constants[64] = {
#include "sha256_constants.inc"
};

DEVICE unsigned rotated(unsigned v, int n) { return v >> n | v << (32 - n); }

KERNEL((128, 1, 1)) sha256(int messages, GLOBAL const unsigned* words, GLOBAL unsigned* digests) {
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  int message = BLOCK_X * 128 + THREAD_X;
  if (message >= messages) return;
  unsigned w[16], s[8];
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = words[i * messages + message];
#pragma unroll
  for (int i = 0; i < 8; ++i) s[i] = start[i];
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      unsigned w15 = w[(i + 1) % 16], w2 = w[(i + 14) % 16];
      w[i % 16] += w[(i + 9) % 16] + (rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3) +
                   (rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10);
    }
    unsigned t1 = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + w[i % 16];
    unsigned t2 = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
#pragma unroll
    for (int k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) digests[i * messages + message] = start[i] + s[i];
}
