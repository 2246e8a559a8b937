// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x - max) / sum of each row; compiled with -ffast-math, so that clang vectorizes the maximum
// and the sum.
#include <algorithm>
#include <bit>

#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

// A polynomial, so that the loop can be vectorized without a vector library. x <= 0.
float exp2_of(float x) {
  x = std::max(x, -126.0f);
  const float whole = __builtin_rintf(x), rest = (x - whole) * 0.69314718f;
  const float power =
      1 +
      rest * (1 + rest * (1 / 2.0f + rest * (1 / 6.0f + rest * (1 / 24.0f + rest * (1 / 120.0f)))));
  return std::bit_cast<float>(std::bit_cast<int>(power) + (static_cast<int>(whole) << 23));
}

void softmax_row(int columns, const float* __restrict in, float* __restrict out) {
  float most = in[0];
  for (int i = 1; i < columns; ++i) most = std::max(most, in[i]);
  float sum = 0;
  for (int i = 0; i < columns; ++i) {
    const float power = exp2_of((in[i] - most) * 1.44269504f);
    out[i] = power;
    sum += power;
  }
  const float scale = 1 / sum;
  for (int i = 0; i < columns; ++i) out[i] *= scale;
}

}  // namespace

Job softmax(int rows, int columns) {
  Job job("softmax");
  Random random;
  const auto* in = job.array<float>(rows * columns, [&](auto) { return 20 * random.centred(); });
  auto* out = job.zeros<float>(rows * columns);
  job.launch("softmax", {static_cast<unsigned>(rows)}, {256}, columns, in, out);
  job.native = [=](Team& team) {
    team.split(rows, 1, [=](long begin, long end) {
      for (long row = begin; row < end; ++row) {
        softmax_row(columns, in + row * columns, out + row * columns);
      }
    });
  };
  job.result_in(out, 1e-5);
  return job;
}

}  // namespace heddle::bench
