// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils: 1-D with a shared halo, 2-D five points, 3-D seven points in 3-D blocks.
#include "device.h"

constexpr int kRadius = 3;

// Weighted sum of the neighbours within kRadius, clamped at the ends. Dynamic shared memory:
// blockDim.x + 2 * kRadius ints.
extern "C" __global__ void stencil_1d(const int* in, int* out, int n) {
  extern __shared__ int line[];
  int base = blockIdx.x * blockDim.x - kRadius;
  for (int j = threadIdx.x; j < blockDim.x + 2 * kRadius; j += blockDim.x) {
    int i = base + j;
    line[j] = in[i < 0 ? 0 : i >= n ? n - 1 : i];
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0;
  for (int d = -kRadius; d <= kRadius; ++d) sum += (d + 10u) * line[threadIdx.x + kRadius + d];
  out[i] = sum;
}

extern "C" __global__ void stencil_2d(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) - in[i];
}

extern "C" __global__ void stencil_3d(const double* in, double* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int plane = nx * ny;
  int i = z * plane + y * nx + x;
  double sum = -6.0 * in[i];
  if (x > 0) sum += in[i - 1];
  if (x < nx - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - nx];
  if (y < ny - 1) sum += in[i + nx];
  if (z > 0) sum += in[i - plane];
  if (z < nz - 1) sum += in[i + plane];
  out[i] = sum;
}
