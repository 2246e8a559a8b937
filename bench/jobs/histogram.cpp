// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of bytes, added to the bins. Each native thread has four sets of bins, so that consecutive
// equal bytes do not wait for each other.
#include <cstdint>

#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

void count(const std::uint8_t* data, long begin, long end, unsigned* bins) {
  unsigned own[4][256] = {};
  long i = begin;
  for (; i + 8 <= end; i += 8) {
    std::uint64_t eight;
    __builtin_memcpy(&eight, data + i, 8);
    for (int k = 0; k < 8; ++k) ++own[k % 4][eight >> 8 * k & 255];
  }
  for (; i < end; ++i) ++own[0][data[i]];
  for (int bin = 0; bin < 256; ++bin) {
    const unsigned sum = own[0][bin] + own[1][bin] + own[2][bin] + own[3][bin];
    __atomic_fetch_add(&bins[bin], sum, __ATOMIC_RELAXED);
  }
}

}  // namespace

Job histogram(int n, Bytes bytes) {
  Job job("histogram");
  Random random;
  const auto* data = job.array<std::uint8_t>(n, [&](auto i) -> unsigned {
    switch (bytes) {
      case Bytes::kRandom:
        return random();
      case Bytes::kConstant:
        return 7;
      case Bytes::kRuns:
        return i / 64 + random() % 64 / 63;
    }
    __builtin_unreachable();
  });
  auto* bins = job.zeros<unsigned>(256);
  job.launch("histogram", {64}, {256}, n, data, bins);
  job.native = [=](Team& team) {
    team.split(n, 64, [=](long begin, long end) { count(data, begin, end, bins); });
  };
  job.result_in(bins);
  return job;
}

}  // namespace heddle::bench
