// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape times: a divergent loop whose length differs from lane to lane, in both precisions.
#include "device.h"

template <class T>
static __device__ int escape_time(T cx, T cy, int limit) {
  T x = 0;
  T y = 0;
  int n = 0;
  while (n < limit && x * x + y * y <= T(4)) {
    T next = x * x - y * y + cx;
    y = T(2) * x * y + cy;
    x = next;
    ++n;
  }
  return n;
}

extern "C" __global__ void mandelbrot_f32(int* out, int width, int height, float left, float top,
                                          float step, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  out[py * width + px] = escape_time<float>(left + step * px, top + step * py, limit);
}

extern "C" __global__ void mandelbrot_f64(int* out, int width, int height, double left, double top,
                                          double step, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  out[py * width + px] = escape_time<double>(left + step * px, top + step * py, limit);
}
