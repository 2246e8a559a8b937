// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 3 beside the general product: symmetric, Hermitian and triangular matrices.
#pragma once

#include <vector>

#include "mathlibs/core/blas.h"
#include "mathlibs/core/call.h"

namespace heddle::mathlibs {

namespace level3 {

inline Call& shape(Call& call, int64_t m, int64_t n) {
  return call.size(m, "m is negative or has more than 31 bits")
      .size(n, "n is negative or has more than 31 bits");
}

/// Symmetric matrices are transposed, Hermitian ones transposed and conjugated. Real matrices do
/// not differ in that.
template <class T>
Call& rank_k(Call& call, cublasFillMode_t fill, cublasOperation_t op, int64_t n, int64_t k,
             bool hermitian) {
  call.fill(fill)
      .operation(op)
      .size(n, "n is negative or has more than 31 bits")
      .size(k, "k is negative or has more than 31 bits");
  return call.require(!is_complex<T> || op == CUBLAS_OP_N || (op == CUBLAS_OP_C) == hermitian,
                      "the operation does not fit the kind of matrix");
}

inline int64_t rows(cublasOperation_t op, int64_t n, int64_t k) {
  return op == CUBLAS_OP_N ? n : k;
}
inline int64_t cols(cublasOperation_t op, int64_t n, int64_t k) {
  return op == CUBLAS_OP_N ? k : n;
}

/// C = alpha op(A) op(B)^T + beta C, or with the conjugate transpose, in one triangle.
template <class T, class B>
void rank_kx(cublasFillMode_t fill, cublasOperation_t op, int64_t n, int64_t k, T alpha, const T* a,
             int64_t lda, const T* b, int64_t ldb, B beta, T* c, int64_t ldc, bool hermitian) {
  std::vector<T> product(static_cast<size_t>(n * n));
  const CBLAS_TRANSPOSE turned = hermitian ? CblasConjTrans : CblasTrans;
  const int size = static_cast<int>(n);
  blas::gemm(op == CUBLAS_OP_N ? CblasNoTrans : turned, op == CUBLAS_OP_N ? turned : CblasNoTrans,
             size, size, static_cast<int>(k), alpha, a, static_cast<int>(lda), b,
             static_cast<int>(ldb), T{}, product.data(), size);
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = fill == CUBLAS_FILL_MODE_UPPER ? 0 : j,
                  to = fill == CUBLAS_FILL_MODE_UPPER ? j + 1 : n;
    for (int64_t i = from; i < to; ++i) {
      T& out = c[i + j * ldc];
      const T sum = product[static_cast<size_t>(i + j * n)];
      out = beta == B{} ? sum : sum + beta * out;
      if constexpr (is_complex<T>) {
        if (hermitian && i == j) out = out.real();
      }
    }
  }
}

}  // namespace level3

#define HEDDLE_SYMMETRIC(name)                                                                    \
  template <class T>                                                                              \
  cublasStatus_t name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,        \
                      int64_t m, int64_t n, const T* alpha, const T* a, int64_t lda, const T* b,  \
                      int64_t ldb, const T* beta, T* c, int64_t ldc) {                            \
    Call call(handle);                                                                            \
    level3::shape(call.side(side).fill(fill), m, n);                                              \
    const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;                                       \
    call.leading(order, lda, "A").leading(m, ldb, "B").leading(m, ldc, "C");                      \
    if (!call.ok() || m == 0 || n == 0) return call.status();                                     \
    const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null");    \
    call.matrix(a, order, order, lda, "A").matrix(b, m, n, ldb, "B").matrix(c, m, n, ldc, "C");   \
    return call.run([=] {                                                                         \
      blas::name(side, fill, static_cast<int>(m), static_cast<int>(n), p(), a,                    \
                 static_cast<int>(lda), b, static_cast<int>(ldb), q(), c, static_cast<int>(ldc)); \
    });                                                                                           \
  }
HEDDLE_SYMMETRIC(symm)
HEDDLE_SYMMETRIC(hemm)
#undef HEDDLE_SYMMETRIC

#define HEDDLE_RANK_K(name, hermitian, Factor)                                                 \
  template <class T>                                                                           \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,      \
                      int64_t n, int64_t k, const Factor* alpha, const T* a, int64_t lda,      \
                      const Factor* beta, T* c, int64_t ldc) {                                 \
    Call call(handle);                                                                         \
    const int64_t rows = level3::rows(op, n, k), cols = level3::cols(op, n, k);                \
    level3::rank_k<T>(call, fill, op, n, k, hermitian)                                         \
        .leading(rows, lda, "A")                                                               \
        .leading(n, ldc, "C");                                                                 \
    if (!call.ok() || n == 0) return call.status();                                            \
    const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null"); \
    call.matrix(a, rows, cols, lda, "A").matrix(c, n, n, ldc, "C");                            \
    return call.run([=] {                                                                      \
      blas::name(fill, op, static_cast<int>(n), static_cast<int>(k), p(), a,                   \
                 static_cast<int>(lda), q(), c, static_cast<int>(ldc));                        \
    });                                                                                        \
  }
HEDDLE_RANK_K(syrk, false, T)
HEDDLE_RANK_K(herk, true, Real<T>)
#undef HEDDLE_RANK_K

#define HEDDLE_RANK_2K(name, hermitian, Beta, multiply)                                          \
  template <class T>                                                                             \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,        \
                      int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda, const T* b, \
                      int64_t ldb, const Beta* beta, T* c, int64_t ldc) {                        \
    Call call(handle);                                                                           \
    const int64_t rows = level3::rows(op, n, k), cols = level3::cols(op, n, k);                  \
    level3::rank_k<T>(call, fill, op, n, k, hermitian)                                           \
        .leading(rows, lda, "A")                                                                 \
        .leading(rows, ldb, "B");                                                                \
    call.leading(n, ldc, "C");                                                                   \
    if (!call.ok() || n == 0) return call.status();                                              \
    const auto p = call.scalar(alpha, "alpha is null");                                          \
    const auto q = call.scalar(beta, "beta is null");                                            \
    call.matrix(a, rows, cols, lda, "A")                                                         \
        .matrix(b, rows, cols, ldb, "B")                                                         \
        .matrix(c, n, n, ldc, "C");                                                              \
    return call.run([=] { multiply; });                                                          \
  }
HEDDLE_RANK_2K(syr2k, false, T,
               blas::syr2k(fill, op, static_cast<int>(n), static_cast<int>(k), p(), a,
                           static_cast<int>(lda), b, static_cast<int>(ldb), q(), c,
                           static_cast<int>(ldc)))
HEDDLE_RANK_2K(her2k, true, Real<T>,
               blas::her2k(fill, op, static_cast<int>(n), static_cast<int>(k), p(), a,
                           static_cast<int>(lda), b, static_cast<int>(ldb), q(), c,
                           static_cast<int>(ldc)))
HEDDLE_RANK_2K(syrkx, false, T,
               level3::rank_kx(fill, op, n, k, p(), a, lda, b, ldb, q(), c, ldc, false))
HEDDLE_RANK_2K(herkx, true, Real<T>,
               level3::rank_kx(fill, op, n, k, p(), a, lda, b, ldb, q(), c, ldc, true))
#undef HEDDLE_RANK_2K

namespace level3 {
inline Call& triangular(Call& call, cublasSideMode_t side, cublasFillMode_t fill,
                        cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n) {
  return shape(call.side(side).fill(fill).operation(op).diagonal(diag), m, n);
}

/// A factor of 0 makes the result 0 whatever B holds; the host's BLAS may multiply.
template <class T>
void clear(int64_t m, int64_t n, T* b, int64_t ldb) {
  for (int64_t j = 0; j < n; ++j) std::fill_n(b + j * ldb, m, T{});
}
}  // namespace level3

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                    const T* alpha, const T* a, int64_t lda, T* b, int64_t ldb) {
  Call call(handle);
  const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
  level3::triangular(call, side, fill, op, diag, m, n)
      .leading(order, lda, "A")
      .leading(m, ldb, "B");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null");
  call.matrix(a, order, order, lda, "A").matrix(b, m, n, ldb, "B");
  return call.run([=] {
    if (p() == T{}) return level3::clear(m, n, b, ldb);
    blas::trsm(side, fill, op, diag, static_cast<int>(m), static_cast<int>(n), p(), a,
               static_cast<int>(lda), b, static_cast<int>(ldb));
  });
}

/// C = alpha op(A) B or alpha B op(A); C may be B.
template <class T>
cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t op, cublasDiagType_t diag, int64_t m, int64_t n,
                    const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb, T* c,
                    int64_t ldc) {
  Call call(handle);
  const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
  level3::triangular(call, side, fill, op, diag, m, n)
      .leading(order, lda, "A")
      .leading(m, ldb, "B")
      .leading(m, ldc, "C");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null");
  call.matrix(a, order, order, lda, "A").matrix(b, m, n, ldb, "B").matrix(c, m, n, ldc, "C");
  return call.run([=] {
    if (p() == T{}) return level3::clear(m, n, c, ldc);
    if (b != c) {
      for (int64_t j = 0; j < n; ++j) std::copy_n(b + j * ldb, m, c + j * ldc);
    }
    blas::trmm(side, fill, op, diag, static_cast<int>(m), static_cast<int>(n), p(), a,
               static_cast<int>(lda), c, static_cast<int>(ldc));
  });
}

/// The variants whose types are arguments: complex f32 only.
inline cublasStatus_t csyrk_ex(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,
                               int64_t n, int64_t k, const Complex* alpha, const void* a,
                               cudaDataType atype, int64_t lda, const Complex* beta, void* c,
                               cudaDataType ctype, int64_t ldc) {
  if (atype != CUDA_C_32F || ctype != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  return syrk(handle, fill, op, n, k, alpha, static_cast<const Complex*>(a), lda, beta,
              static_cast<Complex*>(c), ldc);
}
inline cublasStatus_t cherk_ex(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,
                               int64_t n, int64_t k, const float* alpha, const void* a,
                               cudaDataType atype, int64_t lda, const float* beta, void* c,
                               cudaDataType ctype, int64_t ldc) {
  if (atype != CUDA_C_32F || ctype != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  return herk<Complex>(handle, fill, op, n, k, alpha, static_cast<const Complex*>(a), lda, beta,
                       static_cast<Complex*>(c), ldc);
}

}  // namespace heddle::mathlibs
