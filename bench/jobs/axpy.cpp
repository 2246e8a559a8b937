// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a x + y in single and in half precision.
#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {

// `a` is small, so that y hardly changes over many runs.
Job saxpy(int n) {
  Job job("saxpy");
  const float a = 1e-6f;
  const auto* x = job.array<float>(n, [](auto i) { return i % 100; });
  auto* y = job.array<float>(n, [](auto i) { return 1 + i % 7; });
  job.launch("saxpy", {ceil_div(n, 256)}, {256}, n, a, x, y);
  job.native = [=](Team& team) {
    team.split(n, 16, [=](long begin, long end) {
      for (long i = begin; i < end; ++i) y[i] = __builtin_fmaf(a, x[i], y[i]);
    });
  };
  job.result_in(y);
  return job;
}

// Where the host has no half-precision arithmetic, its fma rounds twice.
Job haxpy(int pairs) {
  Job job("half");
  const float a = 0.125f;
  const int n = 2 * pairs;
  const auto* x = job.array<_Float16>(n, [](auto i) { return i % 100 * 0.01f - 0.5f; });
  auto* y = job.array<_Float16>(n, [](auto i) { return i % 7; });
  job.launch("haxpy", {ceil_div(pairs, 256)}, {256}, pairs, a, x, y);
  job.native = [=](Team& team) {
    team.split(n, 32, [=, a = static_cast<_Float16>(a)](long begin, long end) {
      for (long i = begin; i < end; ++i) y[i] = __builtin_fmaf16(a, x[i], y[i]);
    });
  };
  job.result_in(y, 0x1p-10);
  return job;
}

}  // namespace heddle::bench
