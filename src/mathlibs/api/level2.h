// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 2: products of a matrix and a vector. A factor beta of 0 overwrites y, which may then
// hold anything.
#pragma once

#include <vector>

#include "mathlibs/core/blas.h"
#include "mathlibs/core/call.h"
#include "mathlibs/core/strided.h"

namespace heddle::mathlibs {

namespace level2 {

/// y is not read where beta is 0; the host's BLAS may multiply it.
template <class T>
void forget(int64_t n, T beta, T* y, int64_t incy) {
  if (beta != T{}) return;
  const Strided<T> to(y, n, incy);
  for (int64_t i = 0; i < n; ++i) to[i] = T{};
}

template <class T>
void gemv(cublasOperation_t op, int64_t m, int64_t n, T alpha, const T* a, int64_t lda, const T* x,
          int64_t incx, T beta, T* y, int64_t incy) {
  forget(op == CUBLAS_OP_N ? m : n, beta, y, incy);
  blas::gemv(op, static_cast<int>(m), static_cast<int>(n), alpha, a, static_cast<int>(lda),
             Dense<const T>(x, op == CUBLAS_OP_N ? n : m, incx).data(), beta,
             Dense<T>(y, op == CUBLAS_OP_N ? m : n, incy).data());
}

/// Complex symmetric matrices, which BLAS has in level 3 only: the vectors become matrices of one
/// column.
template <class T>
void symv(cublasFillMode_t fill, int64_t n, T alpha, const T* a, int64_t lda, const T* x,
          int64_t incx, T beta, T* y, int64_t incy) {
  const Strided<const T> from(x, n, incx);
  const Strided<T> to(y, n, incy);
  std::vector<T> in(static_cast<size_t>(n)), out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    in[static_cast<size_t>(i)] = from[i];
    if (beta != T{}) out[static_cast<size_t>(i)] = to[i];
  }
  const int size = static_cast<int>(n);
  blas::symm(CUBLAS_SIDE_LEFT, fill, size, 1, alpha, a, static_cast<int>(lda), in.data(), size,
             beta, out.data(), size);
  for (int64_t i = 0; i < n; ++i) to[i] = out[static_cast<size_t>(i)];
}

/// Calls `update(row, column)` for each element of a triangle.
template <class Update>
void for_triangle(cublasFillMode_t fill, int64_t n, Update update) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = fill == CUBLAS_FILL_MODE_UPPER ? 0 : j,
                  to = fill == CUBLAS_FILL_MODE_UPPER ? j + 1 : n;
    for (int64_t i = from; i < to; ++i) update(i, j);
  }
}

/// A += alpha x x^T, in one triangle.
template <class T>
void syr(cublasFillMode_t fill, int64_t n, T alpha, const T* x, int64_t incx, T* a, int64_t lda) {
  const Strided<const T> p(x, n, incx);
  for_triangle(fill, n, [&](int64_t i, int64_t j) { a[i + j * lda] += alpha * p[i] * p[j]; });
}

/// A += alpha (x y^T + y x^T), in one triangle.
template <class T>
void syr2(cublasFillMode_t fill, int64_t n, T alpha, const T* x, int64_t incx, const T* y,
          int64_t incy, T* a, int64_t lda) {
  const Strided<const T> p(x, n, incx), q(y, n, incy);
  for_triangle(fill, n, [&](int64_t i, int64_t j) {
    a[i + j * lda] += alpha * (p[i] * q[j] + q[i] * p[j]);
  });
}

/// The shape of a product of a square matrix with a vector, whichever way the matrix is stored.
template <class T>
Call& square(Call& call, cublasFillMode_t fill, int64_t n, const T* x, int64_t incx, const T* y,
             int64_t incy) {
  return call.fill(fill)
      .size(n, "n is negative or has more than 31 bits")
      .vector(x, n, incx, "x")
      .vector(y, n, incy, "y");
}

template <class T>
Call& triangular(Call& call, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diag,
                 int64_t n, const T* x, int64_t incx) {
  return call.fill(fill)
      .operation(op)
      .diagonal(diag)
      .size(n, "n is negative or has more than 31 bits")
      .vector(x, n, incx, "x");
}

/// Elements of a packed triangle; negative where n is too large.
inline int64_t packed(int64_t n) {
  return n > std::numeric_limits<int32_t>::max() ? -1 : n < 0 ? 0 : n * (n + 1) / 2;
}

/// Rows of a band matrix. The numbers of diagonals have been checked, or the call has failed
/// already.
inline int64_t band(int64_t below, int64_t above) {
  return static_cast<int64_t>(static_cast<uint64_t>(below) + static_cast<uint64_t>(above) + 1);
}

}  // namespace level2

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t op, int64_t m, int64_t n,
                    const T* alpha, const T* a, int64_t lda, const T* x, int64_t incx,
                    const T* beta, T* y, int64_t incy) {
  Call call(handle);
  call.operation(op)
      .size(m, "m is negative or has more than 31 bits")
      .size(n, "n is negative or has more than 31 bits");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null");
  const int64_t in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
  call.matrix(a, m, n, lda, "A").vector(x, in, incx, "x").vector(y, out, incy, "y");
  return call.run([=] { level2::gemv(op, m, n, p(), a, lda, x, incx, q(), y, incy); });
}

template <class T>
cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t op, int64_t m, int64_t n, int64_t kl,
                    int64_t ku, const T* alpha, const T* a, int64_t lda, const T* x, int64_t incx,
                    const T* beta, T* y, int64_t incy) {
  Call call(handle);
  call.operation(op)
      .size(m, "m is negative or has more than 31 bits")
      .size(n, "n is negative or has more than 31 bits");
  call.size(kl, "kl is negative or has more than 31 bits")
      .size(ku, "ku is negative or has more than 31 bits");
  if (!call.ok() || m == 0 || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null");
  const int64_t in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
  call.matrix(a, level2::band(kl, ku), n, lda, "A")
      .vector(x, in, incx, "x")
      .vector(y, out, incy, "y");
  return call.run([=] {
    level2::forget(out, q(), y, incy);
    blas::gbmv(op, static_cast<int>(m), static_cast<int>(n), static_cast<int>(kl),
               static_cast<int>(ku), p(), a, static_cast<int>(lda),
               Dense<const T>(x, in, incx).data(), q(), Dense<T>(y, out, incy).data());
  });
}

// Triangular matrices: stored whole, as a band of k diagonals, or packed.
#define HEDDLE_TRIANGULAR(name)                                                           \
  template <class T>                                                                      \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op, \
                      cublasDiagType_t diag, int64_t n, const T* a, int64_t lda, T* x,    \
                      int64_t incx) {                                                     \
    Call call(handle);                                                                    \
    level2::triangular(call, fill, op, diag, n, x, incx).matrix(a, n, n, lda, "A");       \
    if (n == 0) return call.status();                                                     \
    return call.run([=] {                                                                 \
      blas::name(fill, op, diag, static_cast<int>(n), a, static_cast<int>(lda),           \
                 Dense<T>(x, n, incx).data());                                            \
    });                                                                                   \
  }
HEDDLE_TRIANGULAR(trmv)
HEDDLE_TRIANGULAR(trsv)
#undef HEDDLE_TRIANGULAR

#define HEDDLE_TRIANGULAR_BAND(name)                                                              \
  template <class T>                                                                              \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,         \
                      cublasDiagType_t diag, int64_t n, int64_t k, const T* a, int64_t lda, T* x, \
                      int64_t incx) {                                                             \
    Call call(handle);                                                                            \
    level2::triangular(call, fill, op, diag, n, x, incx)                                          \
        .size(k, "k is negative or has more than 31 bits");                                       \
    call.matrix(a, level2::band(k, 0), n, lda, "A");                                              \
    if (n == 0) return call.status();                                                             \
    return call.run([=] {                                                                         \
      blas::name(fill, op, diag, static_cast<int>(n), static_cast<int>(k), a,                     \
                 static_cast<int>(lda), Dense<T>(x, n, incx).data());                             \
    });                                                                                           \
  }
HEDDLE_TRIANGULAR_BAND(tbmv)
HEDDLE_TRIANGULAR_BAND(tbsv)
#undef HEDDLE_TRIANGULAR_BAND

#define HEDDLE_TRIANGULAR_PACKED(name)                                                             \
  template <class T>                                                                               \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t op,          \
                      cublasDiagType_t diag, int64_t n, const T* a, T* x, int64_t incx) {          \
    Call call(handle);                                                                             \
    level2::triangular(call, fill, op, diag, n, x, incx)                                           \
        .memory(a, level2::packed(n), sizeof(T), "A");                                             \
    if (n == 0) return call.status();                                                              \
    return call.run(                                                                               \
        [=] { blas::name(fill, op, diag, static_cast<int>(n), a, Dense<T>(x, n, incx).data()); }); \
  }
HEDDLE_TRIANGULAR_PACKED(tpmv)
HEDDLE_TRIANGULAR_PACKED(tpsv)
#undef HEDDLE_TRIANGULAR_PACKED

// Symmetric and Hermitian matrices. `product(alpha, beta)` multiplies.
namespace level2 {
template <class T, class Matrix, class Product>
cublasStatus_t symmetric(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                         const T* x, int64_t incx, const T* beta, T* y, int64_t incy,
                         Matrix check_matrix, Product product) {
  Call call(handle);
  call.fill(fill).size(n, "n is negative or has more than 31 bits");
  if (!call.ok() || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null"), q = call.scalar(beta, "beta is null");
  check_matrix(square(call, fill, n, x, incx, y, incy));
  return call.run([=] {
    forget(n, q(), y, incy);
    product(p(), q());
  });
}
}  // namespace level2

template <class T>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                    const T* a, int64_t lda, const T* x, int64_t incx, const T* beta, T* y,
                    int64_t incy) {
  return level2::symmetric(
      handle, fill, n, alpha, x, incx, beta, y, incy,
      [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](T p, T q) { level2::symv(fill, n, p, a, lda, x, incx, q, y, incy); });
}

template <class T>
cublasStatus_t hemv(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                    const T* a, int64_t lda, const T* x, int64_t incx, const T* beta, T* y,
                    int64_t incy) {
  return level2::symmetric(
      handle, fill, n, alpha, x, incx, beta, y, incy,
      [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](T p, T q) {
        blas::hemv(fill, static_cast<int>(n), p, a, static_cast<int>(lda),
                   Dense<const T>(x, n, incx).data(), q, Dense<T>(y, n, incy).data());
      });
}

#define HEDDLE_SYMMETRIC_BAND(name)                                                               \
  template <class T>                                                                              \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, int64_t k,         \
                      const T* alpha, const T* a, int64_t lda, const T* x, int64_t incx,          \
                      const T* beta, T* y, int64_t incy) {                                        \
    return level2::symmetric(                                                                     \
        handle, fill, n, alpha, x, incx, beta, y, incy,                                           \
        [=](Call& call) {                                                                         \
          call.size(k, "k is negative or has more than 31 bits")                                  \
              .matrix(a, level2::band(k, 0), n, lda, "A");                                        \
        },                                                                                        \
        [=](T p, T q) {                                                                           \
          blas::name(fill, static_cast<int>(n), static_cast<int>(k), p, a, static_cast<int>(lda), \
                     Dense<const T>(x, n, incx).data(), q, Dense<T>(y, n, incy).data());          \
        });                                                                                       \
  }
HEDDLE_SYMMETRIC_BAND(sbmv)
HEDDLE_SYMMETRIC_BAND(hbmv)
#undef HEDDLE_SYMMETRIC_BAND

#define HEDDLE_SYMMETRIC_PACKED(name)                                                            \
  template <class T>                                                                             \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,   \
                      const T* a, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) { \
    return level2::symmetric(                                                                    \
        handle, fill, n, alpha, x, incx, beta, y, incy,                                          \
        [=](Call& call) { call.memory(a, level2::packed(n), sizeof(T), "A"); },                  \
        [=](T p, T q) {                                                                          \
          blas::name(fill, static_cast<int>(n), p, a, Dense<const T>(x, n, incx).data(), q,      \
                     Dense<T>(y, n, incy).data());                                               \
        });                                                                                      \
  }
HEDDLE_SYMMETRIC_PACKED(spmv)
HEDDLE_SYMMETRIC_PACKED(hpmv)
#undef HEDDLE_SYMMETRIC_PACKED

// Updates by vectors.
#define HEDDLE_UPDATE(name)                                                                        \
  template <class T>                                                                               \
  cublasStatus_t name(cublasHandle_t handle, int64_t m, int64_t n, const T* alpha, const T* x,     \
                      int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {                 \
    Call call(handle);                                                                             \
    call.size(m, "m is negative or has more than 31 bits")                                         \
        .size(n, "n is negative or has more than 31 bits");                                        \
    if (!call.ok() || m == 0 || n == 0) return call.status();                                      \
    const auto p = call.scalar(alpha, "alpha is null");                                            \
    call.vector(x, m, incx, "x").vector(y, n, incy, "y").matrix(a, m, n, lda, "A");                \
    return call.run([=] {                                                                          \
      blas::name(static_cast<int>(m), static_cast<int>(n), p(), Dense<const T>(x, m, incx).data(), \
                 Dense<const T>(y, n, incy).data(), a, static_cast<int>(lda));                     \
    });                                                                                            \
  }
HEDDLE_UPDATE(ger)
HEDDLE_UPDATE(geru)
HEDDLE_UPDATE(gerc)
#undef HEDDLE_UPDATE

namespace level2 {
/// An update of a symmetric or Hermitian matrix by x, and by y where it is not null.
template <class A, class T, class Matrix, class Update>
cublasStatus_t update(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const A* alpha,
                      const T* x, int64_t incx, const T* y, int64_t incy, Matrix check_matrix,
                      Update update) {
  Call call(handle);
  call.fill(fill).size(n, "n is negative or has more than 31 bits");
  if (!call.ok() || n == 0) return call.status();
  const auto p = call.scalar(alpha, "alpha is null");
  check_matrix(square(call, fill, n, x, incx, y, incy));
  return call.run([=] { update(p()); });
}
}  // namespace level2

template <class T>
cublasStatus_t syr(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                   const T* x, int64_t incx, T* a, int64_t lda) {
  return level2::update(
      handle, fill, n, alpha, x, incx, x, incx, [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](T p) { level2::syr(fill, n, p, x, incx, a, lda); });
}

template <class T>
cublasStatus_t syr2(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                    const T* x, int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {
  return level2::update(
      handle, fill, n, alpha, x, incx, y, incy, [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](T p) { level2::syr2(fill, n, p, x, incx, y, incy, a, lda); });
}

template <class T>
cublasStatus_t her(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const Real<T>* alpha,
                   const T* x, int64_t incx, T* a, int64_t lda) {
  return level2::update(
      handle, fill, n, alpha, x, incx, x, incx, [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](Real<T> p) {
        blas::her(fill, static_cast<int>(n), p, Dense<const T>(x, n, incx).data(), a,
                  static_cast<int>(lda));
      });
}

template <class T>
cublasStatus_t her2(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha,
                    const T* x, int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {
  return level2::update(
      handle, fill, n, alpha, x, incx, y, incy, [=](Call& call) { call.matrix(a, n, n, lda, "A"); },
      [=](T p) {
        blas::her2(fill, static_cast<int>(n), p, Dense<const T>(x, n, incx).data(),
                   Dense<const T>(y, n, incy).data(), a, static_cast<int>(lda));
      });
}

#define HEDDLE_UPDATE_PACKED(name, Factor)                                                \
  template <class T>                                                                      \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, int64_t n,            \
                      const Factor* alpha, const T* x, int64_t incx, T* a) {              \
    return level2::update(                                                                \
        handle, fill, n, alpha, x, incx, x, incx,                                         \
        [=](Call& call) { call.memory(a, level2::packed(n), sizeof(T), "A"); },           \
        [=](Factor p) {                                                                   \
          blas::name(fill, static_cast<int>(n), p, Dense<const T>(x, n, incx).data(), a); \
        });                                                                               \
  }
HEDDLE_UPDATE_PACKED(spr, T)
HEDDLE_UPDATE_PACKED(hpr, Real<T>)
#undef HEDDLE_UPDATE_PACKED

#define HEDDLE_UPDATE2_PACKED(name)                                                            \
  template <class T>                                                                           \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t fill, int64_t n, const T* alpha, \
                      const T* x, int64_t incx, const T* y, int64_t incy, T* a) {              \
    return level2::update(                                                                     \
        handle, fill, n, alpha, x, incx, y, incy,                                              \
        [=](Call& call) { call.memory(a, level2::packed(n), sizeof(T), "A"); },                \
        [=](T p) {                                                                             \
          blas::name(fill, static_cast<int>(n), p, Dense<const T>(x, n, incx).data(),          \
                     Dense<const T>(y, n, incy).data(), a);                                    \
        });                                                                                    \
  }
HEDDLE_UPDATE2_PACKED(spr2)
HEDDLE_UPDATE2_PACKED(hpr2)
#undef HEDDLE_UPDATE2_PACKED

}  // namespace heddle::mathlibs
