// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive prefix sums. In the native code one thread adds 16 elements at a time; several threads
// first compute the sums of their parts, with which the prefix sums of each part begin.
#include <algorithm>
#include <numeric>

#include "jobs/all.h"
#include "jobs/lanes.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kMostParts = 64;

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
    const int parts = team.threads() == 1 ? 1 : std::min(kMostParts, 4 * team.threads());
    const auto begin_of = [&](long part) { return n * part / parts / kLanes * kLanes; };
    const auto end_of = [&](long part) { return part + 1 == parts ? n : begin_of(part + 1); };
    unsigned of_part[kMostParts] = {};
    if (parts > 1) {
      team.each(parts, [&](long part) {
        of_part[part] = std::accumulate(in + begin_of(part), in + end_of(part), 0u);
      });
    }
    team.each(parts, [&](long part) {
      const unsigned before = std::accumulate(of_part, of_part + part, 0u);
      sums(in, out, begin_of(part), end_of(part), before);
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
