// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of gravity: all bodies through a shared tile of float4, exact square root and division.
#include "device.h"

constexpr float kSoftening = 0.01f;
constexpr float kTimeStep = 0.125f;

// Dynamic shared memory: one float4 per thread. x, y, z and mass in each float4.
extern "C" __global__ void nbody_step(const float4* bodies, float4* velocities, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 self = bodies[i < n ? i : 0];
  float ax = 0;
  float ay = 0;
  float az = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x && base + j < n; ++j) {
      float dx = tile[j].x - self.x;
      float dy = tile[j].y - self.y;
      float dz = tile[j].z - self.z;
      float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, kSoftening)));
      float inverse = 1.0f / sqrtf(r2);
      float pull = tile[j].w * inverse * inverse * inverse;
      ax = fmaf(dx, pull, ax);
      ay = fmaf(dy, pull, ay);
      az = fmaf(dz, pull, az);
    }
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocities[i];
  v.x = fmaf(ax, kTimeStep, v.x);
  v.y = fmaf(ay, kTimeStep, v.y);
  v.z = fmaf(az, kTimeStep, v.z);
  velocities[i] = v;
}
