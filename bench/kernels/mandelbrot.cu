// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape times: a divergent loop that each thread leaves after a different number of rounds.
#include "portable.h"

KERNEL((32, 8, 1))
mandelbrot(int width, int limit, float left, float top, float step, GLOBAL int* out) {
  int px = BLOCK_X * 32 + THREAD_X, py = BLOCK_Y * 8 + THREAD_Y;
  float cx = fmaf((float)px, step, left), cy = fmaf((float)py, step, top);
  float x = 0, y = 0;
  int n = 0;
  for (; n < limit; ++n) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = fmaf(x + x, y, cy);
    x = xx - yy + cx;
  }
  out[py * width + px] = n;
}
