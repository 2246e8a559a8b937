// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 of one block per message (FIPS 180-4); the native code has 16 messages in the lanes of
// vectors.
#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr unsigned kRound[64] = {
#include "kernels/sha256_constants.inc"
};
constexpr unsigned kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

Words rotated(Words v, int n) { return v >> n | v << (32 - n); }

void digest(long messages, const unsigned* words, unsigned* digests) {
  Words w[16], s[8];
  for (int i = 0; i < 16; ++i) w[i] = load<Words>(words + i * messages);
  for (int i = 0; i < 8; ++i) s[i] = kStart[i];
#pragma clang loop unroll(full)
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      const Words w15 = w[(i + 1) % 16], w2 = w[(i + 14) % 16];
      w[i % 16] += w[(i + 9) % 16] + (rotated(w15, 7) ^ rotated(w15, 18) ^ w15 >> 3) +
                   (rotated(w2, 17) ^ rotated(w2, 19) ^ w2 >> 10);
    }
    const Words t1 = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                     ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[i] + w[i % 16];
    const Words t2 = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) store(digests + i * messages, kStart[i] + s[i]);
}

}  // namespace

Job sha256(int messages) {
  Job job("sha256");
  Random random;
  const auto* words = job.array<unsigned>(16L * messages, [&](auto) { return random(); });
  auto* digests = job.zeros<unsigned>(8L * messages);
  job.launch("sha256", {ceil_div(messages, 128)}, {128}, messages, words, digests);
  job.native = [=](Team& team) {
    team.split(messages, kLanes, [=](long begin, long end) {
      for (long i = begin; i < end; i += kLanes) digest(messages, words + i, digests + i);
    });
  };
  job.result_in(digests);
  return job;
}

}  // namespace heddle::bench
