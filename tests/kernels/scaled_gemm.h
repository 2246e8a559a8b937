// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of matrix products with the usual epilogues.
#pragma once

#include "tiled_gemm.h"

// D = alpha * A * B + beta * D, row major.
template <class Product, class LayoutA, class LayoutB>
__device__ void scaled_product(const Operand& a, const Operand& b, int steps, float* d, int m,
                               int n, float alpha, float beta) {
  multiply<Product, LayoutA, LayoutB>(a, b, steps).each([&](int row, int column, float(&sums)[4]) {
    for (int i = 0; i < 4; ++i) {
      int r = row + i / 2 * 8, c = column + i % 2;
      if (r < m && c < n) d[r * n + c] = alpha * sums[i] + beta * d[r * n + c];
    }
  });
}
#define SCALED_PRODUCT(name, Product, LayoutA, LayoutB)                                        \
  extern "C" __global__ void __launch_bounds__(kThreads)                                       \
      name(Operand a, Operand b, int steps, float* d, int m, int n, float alpha, float beta) { \
    scaled_product<Product, LayoutA, LayoutB>(a, b, steps, d, m, n, alpha, beta);              \
  }

// Sums of integers.
template <class Product>
__device__ void whole_product(const Operand& a, const Operand& b, int steps, int* d, int m, int n) {
  multiply<Product, AlongK, AlongK>(a, b, steps).each([&](int row, int column, int(&sums)[4]) {
    for (int i = 0; i < 4; ++i) {
      int r = row + i / 2 * 8, c = column + i % 2;
      if (r < m && c < n) d[r * n + c] = sums[i];
    }
  });
}
#define WHOLE_PRODUCT(name, Product)                                \
  extern "C" __global__ void __launch_bounds__(kThreads)            \
      name(Operand a, Operand b, int steps, int* d, int m, int n) { \
    whole_product<Product>(a, b, steps, d, m, n);                   \
  }
