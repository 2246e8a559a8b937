// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seven points in three dimensions.
#include <algorithm>

#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

// Computes the ends of the row, too, so that stores are aligned; the words around the row belong to
// the array.
void inner_row(int side, float c0, float c1, const float* __restrict in, float* __restrict out) {
  const int plane = side * side;
  for (int x = 0; x < side; ++x) {
    const float around =
        in[x - 1] + in[x + 1] + in[x - side] + in[x + side] + in[x - plane] + in[x + plane];
    out[x] = __builtin_fmaf(c1, around, c0 * in[x]);
  }
  out[0] = in[0];
  out[side - 1] = in[side - 1];
}

}  // namespace

Job stencil(int side) {
  Job job("stencil");
  Random random;
  const long volume = static_cast<long>(side) * side * side;
  const float c0 = -0.5f, c1 = 0.25f;
  const auto* in = job.array<float>(volume, [&](auto) { return random.centred(); });
  auto* out = job.zeros<float>(volume);
  const unsigned blocks = side;
  job.launch("stencil", {blocks / 32, blocks / 8, blocks}, {32, 8}, side, c0, c1, in, out);
  job.native = [=](Team& team) {
    team.split(side, 1, [=](long begin, long end) {
      for (long z = begin; z < end; ++z) {
        for (long y = 0; y < side; ++y) {
          const long row = (z * side + y) * side;
          if (z == 0 || z == side - 1 || y == 0 || y == side - 1) {
            std::copy_n(in + row, side, out + row);
          } else {
            inner_row(side, c0, c1, in + row, out + row);
          }
        }
      }
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
