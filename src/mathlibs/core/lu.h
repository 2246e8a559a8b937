// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factors of small matrices: A = P L U, L with a unit diagonal. Pivots are row numbers from 1,
// as LAPACK's; null where rows are not exchanged.
#pragma once

#include <algorithm>
#include <utility>

#include "mathlibs/core/blas.h"

namespace heddle::mathlibs::lu {

/// The first pivot that is 0, counted from 1, or 0.
template <class T>
int singular(int64_t n, const T* a, int64_t lda) {
  for (int64_t i = 0; i < n; ++i) {
    if (a[i + i * lda] == T{}) return static_cast<int>(i + 1);
  }
  return 0;
}

template <class T>
void swap_rows(int64_t cols, T* a, int64_t lda, int64_t i, int64_t j) {
  if (i == j) return;
  for (int64_t c = 0; c < cols; ++c) std::swap(a[i + c * lda], a[j + c * lda]);
}

/// Factorizes in place; returns what singular() returns for the result.
template <class T>
int factorize(int64_t n, T* a, int64_t lda, int* pivots) {
  for (int64_t c = 0; c < n; ++c) {
    T* const column = a + c * lda;
    if (pivots) {
      const auto larger = [](const T& x, const T& y) { return std::abs(x) < std::abs(y); };
      const int64_t best = std::max_element(column + c, column + n, larger) - column;
      pivots[c] = static_cast<int>(best + 1);
      swap_rows(n, a, lda, c, best);
    }
    if (column[c] == T{}) continue;
    for (int64_t r = c + 1; r < n; ++r) column[r] /= column[c];
    for (int64_t j = c + 1; j < n; ++j) {
      T* const other = a + j * lda;
      for (int64_t r = c + 1; r < n; ++r) other[r] -= column[r] * other[c];
    }
  }
  return singular(n, a, lda);
}

/// Replaces B by the solution of op(A) X = B. Pivots that are no rows of A are ignored.
template <class T>
void solve(cublasOperation_t op, int64_t n, int64_t cols, const T* a, int64_t lda,
           const int* pivots, T* b, int64_t ldb) {
  const auto exchange = [&](int64_t i) {
    if (pivots && pivots[i] >= 1 && pivots[i] <= n) swap_rows(cols, b, ldb, i, pivots[i] - 1);
  };
  const auto solve_triangle = [&](cublasFillMode_t fill, cublasDiagType_t diag) {
    blas::trsm(CUBLAS_SIDE_LEFT, fill, op, diag, static_cast<int>(n), static_cast<int>(cols), T(1),
               a, static_cast<int>(lda), b, static_cast<int>(ldb));
  };
  if (op == CUBLAS_OP_N) {
    for (int64_t i = 0; i < n; ++i) exchange(i);
    solve_triangle(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
    solve_triangle(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
  } else {
    solve_triangle(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
    solve_triangle(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
    for (int64_t i = n - 1; i >= 0; --i) exchange(i);
  }
}

template <class T>
void invert(int64_t n, const T* a, int64_t lda, const int* pivots, T* inverse, int64_t ldi) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) inverse[i + j * ldi] = i == j ? T(1) : T{};
  }
  solve(CUBLAS_OP_N, n, n, a, lda, pivots, inverse, ldi);
}

}  // namespace heddle::mathlibs::lu
