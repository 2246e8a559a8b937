// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seven points in three dimensions; the surface does not change.
#include "portable.h"

KERNEL((32, 8, 1))
stencil(int side, float c0, float c1, GLOBAL const float* in, GLOBAL float* out) {
  int x = BLOCK_X * 32 + THREAD_X, y = BLOCK_Y * 8 + THREAD_Y, z = BLOCK_Z;
  int plane = side * side, i = z * plane + y * side + x;
  if (x == 0 || y == 0 || z == 0 || x == side - 1 || y == side - 1 || z == side - 1) {
    out[i] = in[i];
    return;
  }
  float around =
      in[i - 1] + in[i + 1] + in[i - side] + in[i + side] + in[i - plane] + in[i + plane];
  out[i] = fmaf(c1, around, c0 * in[i]);
}
