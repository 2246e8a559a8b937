// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity: every body through a tile of bodies in shared memory; x, y, z and mass in a float4.
#include "portable.h"

KERNEL((256, 1, 1)) nbody(int n, GLOBAL const float4* bodies, GLOBAL float4* pull) {
  SHARED float4 tile[256];
  int i = BLOCK_X * 256 + THREAD_X;
  float4 self = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 256) {
    tile[THREAD_X] = bodies[base + THREAD_X];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float4 other = tile[j];
      float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
      float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
      float scale = other.w * inverse * inverse * inverse;
      ax = fmaf(dx, scale, ax);
      ay = fmaf(dy, scale, ay);
      az = fmaf(dz, scale, az);
    }
    __syncthreads();
  }
  float4 sum;
  sum.x = ax, sum.y = ay, sum.z = az, sum.w = 0;
  pull[i] = sum;
}
