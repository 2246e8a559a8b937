// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape times. No compiler vectorizes a loop that each pixel leaves after a different number of
// rounds: the native code computes 32 pixels at once and continues until none is left.
#include "jobs/all.h"
#include "jobs/team.h"

namespace heddle::bench {
namespace {

constexpr int kPixels = 32;
using Reals = float __attribute__((ext_vector_type(kPixels)));
using Counts = int __attribute__((ext_vector_type(kPixels)));

struct Points {
  Reals cx, cy, x = 0, y = 0;
  Counts n = 0;
  /// Step i; returns the points that are still inside. A point that left never returns.
  Counts step(int i) {
    const Reals xx = x * x, yy = y * y;
    const Counts inside = xx + yy <= 4.0f;
    n = inside ? Counts(i + 1) : n;
    y = __builtin_elementwise_fma(x + x, y, cy);
    x = xx - yy + cx;
    return inside;
  }
};

void escape_times(int limit, Reals cx, Reals cy, int* out) {
  Points points{cx, cy};
  int i = 0;
  for (; i + 4 <= limit; i += 4) {
    for (int k = 0; k < 3; ++k) points.step(i + k);
    if (!__builtin_reduce_or(points.step(i + 3))) break;
  }
  // When all points have left, more steps change nothing.
  for (i = limit / 4 * 4; i < limit; ++i) points.step(i);
  __builtin_memcpy(out, &points.n, sizeof points.n);
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
