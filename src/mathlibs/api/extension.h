// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS-like extensions: sums of matrices, products with diagonal matrices, packed triangles, and
// small systems of equations in batches (core/lu.h).
#pragma once

#include <vector>

#include "mathlibs/core/blas.h"
#include "mathlibs/core/call.h"
#include "mathlibs/core/lu.h"
#include "mathlibs/core/strided.h"

namespace heddle::mathlibs {

namespace extension {

constexpr const char* kSize = "a size is negative or has more than 31 bits";
constexpr const char* kWrongPointer = "a pointer of the batch does not lie in the device's memory";

/// Element (i, j) of op(A).
template <class T>
T element(const T* a, int64_t ld, cublasOperation_t op, int64_t i, int64_t j) {
  if (op == CUBLAS_OP_N) return a[i + j * ld];
  return op == CUBLAS_OP_T ? a[j + i * ld] : static_cast<T>(conjugate(a[j + i * ld]));
}

/// Whether the pointers of a batch point to `elements` elements each.
template <class T>
bool are_valid(const T* const* matrices, int64_t batch, int64_t elements) {
  for (int64_t i = 0; i < batch; ++i) {
    if (!is_device_range(matrices[i], elements * static_cast<int64_t>(sizeof(T)))) return false;
  }
  return true;
}

inline Call& batch(Call& call, int64_t n, int64_t count) {
  return call.size(n, kSize).require(count >= 0, "the batch is negative");
}

}  // namespace extension

/// C = alpha op(A) + beta op(B). A factor of 0 leaves its matrix unread. C may be A or B where that
/// is not transposed.
template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int64_t m, int64_t n, const T* alpha, const T* a, int64_t lda, const T* beta,
                    const T* b, int64_t ldb, T* c, int64_t ldc) {
  Call call(handle);
  call.operation(transa).operation(transb).size(m, extension::kSize).size(n, extension::kSize);
  const int64_t arows = transa == CUBLAS_OP_N ? m : n, acols = transa == CUBLAS_OP_N ? n : m;
  const int64_t brows = transb == CUBLAS_OP_N ? m : n, bcols = transb == CUBLAS_OP_N ? n : m;
  call.leading(arows, lda, "A").leading(brows, ldb, "B").leading(m, ldc, "C");
  call.require(a != c || (transa == CUBLAS_OP_N && lda == ldc),
               "A is C, and transposed or of another shape");
  call.require(b != c || (transb == CUBLAS_OP_N && ldb == ldc),
               "B is C, and transposed or of another shape");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null");
  // A program may give no address for a matrix that the factor excludes.
  if (a || p.is_on_device() || p() != T{}) call.matrix(a, arows, acols, lda, "A");
  if (b || q.is_on_device() || q() != T{}) call.matrix(b, brows, bcols, ldb, "B");
  return call.matrix(c, m, n, ldc, "C").run([=] {
    const T f = p(), g = q();
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i) {
        T sum{};
        if (f != T{}) sum += f * extension::element(a, lda, transa, i, j);
        if (g != T{}) sum += g * extension::element(b, ldb, transb, i, j);
        c[i + j * ldc] = sum;
      }
    }
  });
}

/// C = diag(x) A or A diag(x).
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int64_t m, int64_t n, const T* a,
                    int64_t lda, const T* x, int64_t incx, T* c, int64_t ldc) {
  Call call(handle);
  call.side(side)
      .size(m, extension::kSize)
      .size(n, extension::kSize)
      .leading(m, lda, "A")
      .leading(m, ldc, "C");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const int64_t length = side == CUBLAS_SIDE_LEFT ? m : n;
  call.matrix(a, m, n, lda, "A")
      .memory(x, extent(length, incx), sizeof(T), "x")
      .matrix(c, m, n, ldc, "C");
  return call.run([=] {
    const Strided<const T> diagonal(x, length, incx);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < m; ++i)
        c[i + j * ldc] = a[i + j * lda] * diagonal[side == CUBLAS_SIDE_LEFT ? i : j];
    }
  });
}

template <class T>
cublasStatus_t tpttr(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* packed, T* a,
                     int64_t lda) {
  Call call(handle);
  call.fill(fill).size(n, extension::kSize);
  if (!call.ok() || n == 0) return call.status();
  return call.memory(packed, n * (n + 1) / 2, sizeof(T), "AP").matrix(a, n, n, lda, "A").run([=] {
    int64_t at = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = fill == CUBLAS_FILL_MODE_UPPER ? 0 : j,
                    to = fill == CUBLAS_FILL_MODE_UPPER ? j + 1 : n;
      for (int64_t i = from; i < to; ++i) a[i + j * lda] = packed[at++];
    }
  });
}

template <class T>
cublasStatus_t trttp(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* a,
                     int64_t lda, T* packed) {
  Call call(handle);
  call.fill(fill).size(n, extension::kSize);
  if (!call.ok() || n == 0) return call.status();
  return call.memory(packed, n * (n + 1) / 2, sizeof(T), "AP").matrix(a, n, n, lda, "A").run([=] {
    int64_t at = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = fill == CUBLAS_FILL_MODE_UPPER ? 0 : j,
                    to = fill == CUBLAS_FILL_MODE_UPPER ? j + 1 : n;
      for (int64_t i = from; i < to; ++i) packed[at++] = a[i + j * lda];
    }
  });
}

template <class T>
cublasStatus_t trsm_batched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                            cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                            const T* alpha, const T* const* a, int64_t lda, T* const* b,
                            int64_t ldb, int64_t batch) {
  Call call(handle);
  const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
  call.side(side).fill(fill).operation(op).diagonal(diag).size(m, extension::kSize);
  extension::batch(call, n, batch).leading(order, lda, "A").leading(m, ldb, "B");
  if (!call.ok() || m == 0 || n == 0 || batch == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null");
  call.pointers(a, batch, "A").pointers(b, batch, "B");
  return call.run_checked([=]() -> const char* {
    if (!extension::are_valid(a, batch, extent(order, order, lda)) ||
        !extension::are_valid(b, batch, extent(m, n, ldb)))
      return extension::kWrongPointer;
    for (int64_t i = 0; i < batch; ++i) {
      if (p() == T{}) {
        for (int64_t j = 0; j < n; ++j) std::fill_n(b[i] + j * ldb, m, T{});
      } else {
        blas::trsm(side, fill, op, diag, static_cast<int>(m), static_cast<int>(n), p(), a[i],
                   static_cast<int>(lda), b[i], static_cast<int>(ldb));
      }
    }
    return nullptr;
  });
}

/// A = P L U in place. Without pivots P is the unit matrix. info: the first pivot that is 0,
/// counted from 1.
template <class T>
cublasStatus_t getrf_batched(cublasHandle_t handle, int64_t n, T* const* a, int64_t lda,
                             int* pivots, int* info, int64_t batch) {
  Call call(handle);
  extension::batch(call, n, batch).leading(n, lda, "A");
  if (!call.ok() || n == 0 || batch == 0) return call.status();
  call.pointers(a, batch, "A").memory(info, batch, sizeof *info, "info");
  if (pivots) call.memory(pivots, extent(n, batch, n), sizeof *pivots, "the array of pivots");
  return call.run_checked([=]() -> const char* {
    if (!extension::are_valid(a, batch, extent(n, n, lda))) return extension::kWrongPointer;
    for (int64_t i = 0; i < batch; ++i)
      info[i] = lu::factorize(n, a[i], lda, pivots ? pivots + i * n : nullptr);
    return nullptr;
  });
}

/// C = A^-1 of matrices that getrf_batched has factorized.
template <class T>
cublasStatus_t getri_batched(cublasHandle_t handle, int64_t n, const T* const* a, int64_t lda,
                             const int* pivots, T* const* c, int64_t ldc, int* info,
                             int64_t batch) {
  Call call(handle);
  extension::batch(call, n, batch).leading(n, lda, "A").leading(n, ldc, "C");
  if (!call.ok() || n == 0 || batch == 0) return call.status();
  call.pointers(a, batch, "A").pointers(c, batch, "C").memory(info, batch, sizeof *info, "info");
  if (pivots) call.memory(pivots, extent(n, batch, n), sizeof *pivots, "the array of pivots");
  return call.run_checked([=]() -> const char* {
    if (!extension::are_valid(a, batch, extent(n, n, lda)) ||
        !extension::are_valid(c, batch, extent(n, n, ldc)))
      return extension::kWrongPointer;
    for (int64_t i = 0; i < batch; ++i) {
      info[i] = lu::singular(n, a[i], lda);
      if (!info[i]) lu::invert(n, a[i], lda, pivots ? pivots + i * n : nullptr, c[i], ldc);
    }
    return nullptr;
  });
}

/// Solves op(A) X = B in place of B. info, on the host, names a wrong parameter; this function
/// returns such a fault instead.
template <class T>
cublasStatus_t getrs_batched(cublasHandle_t handle, cublasOperation_t op, int64_t n, int64_t nrhs,
                             const T* const* a, int64_t lda, const int* pivots, T* const* b,
                             int64_t ldb, int* info, int64_t batch) {
  Call call(handle);
  call.operation(op).size(nrhs, extension::kSize);
  extension::batch(call, n, batch)
      .leading(n, lda, "A")
      .leading(n, ldb, "B")
      .require(info, "info is null");
  if (call.ok()) *info = 0;
  if (!call.ok() || n == 0 || nrhs == 0 || batch == 0) return call.status();
  call.pointers(a, batch, "A").pointers(b, batch, "B");
  if (pivots) call.memory(pivots, extent(n, batch, n), sizeof *pivots, "the array of pivots");
  return call.run_checked([=]() -> const char* {
    if (!extension::are_valid(a, batch, extent(n, n, lda)) ||
        !extension::are_valid(b, batch, extent(n, nrhs, ldb)))
      return extension::kWrongPointer;
    for (int64_t i = 0; i < batch; ++i)
      lu::solve(op, n, nrhs, a[i], lda, pivots ? pivots + i * n : nullptr, b[i], ldb);
    return nullptr;
  });
}

/// Inverts matrices of up to 32 rows, as cuBLAS does.
template <class T>
cublasStatus_t matinv_batched(cublasHandle_t handle, int64_t n, const T* const* a, int64_t lda,
                              T* const* inverse, int64_t ldi, int* info, int64_t batch) {
  Call call(handle);
  extension::batch(call, n, batch)
      .require(n <= 32, "n exceeds 32")
      .leading(n, lda, "A")
      .leading(n, ldi, "the inverse");
  if (!call.ok() || n == 0 || batch == 0) return call.status();
  call.pointers(a, batch, "A").pointers(inverse, batch, "the inverse");
  call.memory(info, batch, sizeof *info, "info");
  return call.run_checked([=]() -> const char* {
    if (!extension::are_valid(a, batch, extent(n, n, lda)) ||
        !extension::are_valid(inverse, batch, extent(n, n, ldi)))
      return extension::kWrongPointer;
    std::vector<T> factors(static_cast<size_t>(n * n));
    std::vector<int> pivots(static_cast<size_t>(n));
    for (int64_t i = 0; i < batch; ++i) {
      for (int64_t j = 0; j < n; ++j) std::copy_n(a[i] + j * lda, n, factors.data() + j * n);
      info[i] = lu::factorize(n, factors.data(), n, pivots.data());
      if (!info[i]) lu::invert(n, factors.data(), n, pivots.data(), inverse[i], ldi);
    }
    return nullptr;
  });
}

}  // namespace heddle::mathlibs
