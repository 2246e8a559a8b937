// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision: fma, division, square root, comparisons, conversions to and from float.
#include "device.h"

extern "C" __global__ void horner(const double* coefficients, int degree, const double* x,
                                  double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = coefficients[degree];
  for (int k = degree - 1; k >= 0; --k) sum = fma(sum, x[i], coefficients[k]);
  out[i] = sum;
}

extern "C" __global__ void quadratic_roots(const double* a, const double* b, const double* c,
                                           double2* roots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double discriminant = b[i] * b[i] - 4.0 * a[i] * c[i];
  double2 result = {0, 0};
  if (discriminant >= 0) {
    double root = sqrt(discriminant);
    double q = b[i] < 0 ? (root - b[i]) / 2.0 : -(b[i] + root) / 2.0;
    result.x = q / a[i];
    result.y = q == 0 ? 0 : c[i] / q;
  }
  roots[i] = result;
}

// Compensated (Kahan) summation of float data in float, and in double: the operations must not be
// reassociated.
extern "C" __global__ void kahan_sums(const float* values, int rows, int columns, float* kahan,
                                      float* through_double) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  float lost = 0;
  double wide = 0;
  for (int k = 0; k < columns; ++k) {
    float value = values[row * columns + k];
    float y = value - lost;
    float t = sum + y;
    lost = (t - sum) - y;
    sum = t;
    wide += value;
  }
  kahan[row] = sum;
  through_double[row] = (float)wide;
}
