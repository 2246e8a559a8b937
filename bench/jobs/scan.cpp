// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive prefix sums. Natively each thread adds up its part, then writes its sums from what the
// parts before it come to, 16 at a time.
#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kMostThreads = 64;

Words sums_of_16(Words v) {
  const Words zero = 0;
  v += __builtin_shufflevector(zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                               30);
  v += __builtin_shufflevector(zero, v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                               29);
  v += __builtin_shufflevector(zero, v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  v += __builtin_shufflevector(zero, v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  return v;
}

void sums(const unsigned* in, unsigned* out, long begin, long end, unsigned before) {
  Words carry = before;
  long i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    const Words v = sums_of_16(load<Words>(in + i)) + carry;
    store(out + i, v);
    carry = v[kLanes - 1];
  }
  for (unsigned sum = carry[0]; i < end; ++i) out[i] = sum += in[i];
}

}  // namespace

Job scan(int n) {
  Job job("scan");
  Random random;
  const auto* in = job.array<unsigned>(n, [&](auto) { return random(); });
  auto* out = job.zeros<unsigned>(n);
  auto* totals = job.zeros<unsigned>(1024);
  auto* total = job.zeros<unsigned>(1);
  const int blocks = static_cast<int>(ceil_div(n, 1024));
  job.launch("scan_blocks", {ceil_div(n, 1024)}, {1024}, n, in, out, totals);
  job.launch("scan_blocks", {1}, {1024}, blocks, totals, totals, total);
  job.launch("scan_add", {ceil_div(n, 1024)}, {1024}, n, totals, out);
  job.native = [=](Team& team) {
    const long part = (n / team.threads() + kLanes - 1) / kLanes * kLanes;
    const auto end_of = [&](int thread) {
      return thread + 1 == team.threads() ? n : std::min<long>(n, (thread + 1) * part);
    };
    unsigned of_part[kMostThreads] = {};
    team.run([&](int thread) {
      unsigned sum = 0;
      for (long i = std::min<long>(n, thread * part); i < end_of(thread); ++i) sum += in[i];
      of_part[thread] = sum;
    });
    team.run([&](int thread) {
      unsigned before = 0;
      for (int i = 0; i < thread; ++i) before += of_part[i];
      sums(in, out, std::min<long>(n, thread * part), end_of(thread), before);
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
