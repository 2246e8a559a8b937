// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape times. No compiler makes vector code of a loop that each pixel leaves when it likes: the
// native code takes 64 pixels at once and goes on until none is left.
#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kPixels = 64;
using Reals = float __attribute__((ext_vector_type(kPixels)));
using Counts = int __attribute__((ext_vector_type(kPixels)));

void escape_times(int limit, Reals cx, Reals cy, int* out) {
  Reals x = 0, y = 0;
  Counts n = 0;
  for (int i = 0; i < limit; ++i) {
    const Reals xx = x * x, yy = y * y;
    const Counts inside = xx + yy <= 4.0f;  // -1 where it is true; a point that left never returns
    if (!__builtin_reduce_or(inside)) break;
    n -= inside;
    y = __builtin_elementwise_fma(x + x, y, cy);
    x = xx - yy + cx;
  }
  __builtin_memcpy(out, &n, sizeof n);
}

}  // namespace

Job mandelbrot(int width, int height, int limit) {
  Job job("mandelbrot");
  const float left = -2, top = -1.25f, step = 2.5f / static_cast<float>(width);
  auto* out = job.zeros<int>(width * height);
  job.launch("mandelbrot", {width / 32u, height / 8u}, {32, 8}, width, limit, left, top, step, out);
  job.native = [=](Team& team) {
    team.each(height, [=](long py) {
      const float cy = __builtin_fmaf(static_cast<float>(py), step, top);
      for (int px = 0; px < width; px += kPixels) {
        Reals cx;
        for (int i = 0; i < kPixels; ++i) {
          cx[i] = __builtin_fmaf(static_cast<float>(px + i), step, left);
        }
        escape_times(limit, cx, Reals(cy), out + py * width + px);
      }
    });
  };
  job.result_in(out);
  return job;
}

}  // namespace heddle::bench
