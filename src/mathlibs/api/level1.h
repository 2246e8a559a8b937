// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 1. Elements of 16 bits are computed in f32 and rounded once. A vector with a negative
// increment begins at its last element in memory, as in the reference BLAS.
#pragma once

#include <functional>

#include "mathlibs/core/blas.h"
#include "mathlibs/core/call.h"
#include "mathlibs/core/strided.h"

namespace heddle::mathlibs {

namespace level1 {

template <class T>
T dot(int64_t n, const T* x, int64_t incx, const T* y, int64_t incy, bool conjugates) {
  if constexpr (HasBlas<T>) {
    const auto count = static_cast<int>(n);
    Dense<const T> a(x, n, incx), b(y, n, incy);
    if constexpr (is_complex<T>) {
      return conjugates ? blas::dotc(count, a.data(), b.data())
                        : blas::dotu(count, a.data(), b.data());
    } else {
      return blas::dot(count, a.data(), b.data());
    }
  } else {
    const Strided<const T> a(x, n, incx), b(y, n, incy);
    Computed<T> sum{};
    for (int64_t i = 0; i < n; ++i) sum += widen(a[i]) * widen(b[i]);
    return narrow<T>(sum);
  }
}

/// The sum of the squares of 16-bit elements stays far within a double.
template <class T>
Real<T> nrm2(int64_t n, const T* x, int64_t incx) {
  if constexpr (HasBlas<T>) {
    return blas::nrm2(static_cast<int>(n), Dense<const T>(x, n, incx).data());
  } else {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += static_cast<double>(widen(x[i * incx])) * widen(x[i * incx]);
    return static_cast<Real<T>>(std::sqrt(sum));
  }
}

template <class T>
Real<T> asum(int64_t n, const T* x, int64_t incx) {
  if constexpr (HasBlas<T>) {
    return blas::asum(static_cast<int>(n), Dense<const T>(x, n, incx).data());
  } else {
    Real<T> sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::abs(widen(x[i * incx]));
    return sum;
  }
}

template <class T, class A>
void scal(int64_t n, A alpha, T* x, int64_t incx) {
  for (int64_t i = 0; i < n; ++i) x[i * incx] = narrow<T>(alpha * widen(x[i * incx]));
}

template <class T>
void axpy(int64_t n, Computed<T> alpha, const T* x, int64_t incx, T* y, int64_t incy) {
  const Strided<const T> from(x, n, incx);
  const Strided<T> to(y, n, incy);
  for (int64_t i = 0; i < n; ++i) to[i] = narrow<T>(alpha * widen(from[i]) + widen(to[i]));
}

inline float magnitude(float x) { return std::abs(x); }
inline double magnitude(double x) { return std::abs(x); }
template <class T>
T magnitude(std::complex<T> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

/// The first element, counted from 1, whose magnitude no other is better than.
template <class T, class Better>
int64_t best(int64_t n, const T* x, int64_t incx, Better better) {
  int64_t at = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (better(magnitude(widen(x[i * incx])), magnitude(widen(x[at * incx])))) at = i;
  }
  return at + 1;
}

template <class T, class C, class S>
void rot(int64_t n, T* x, int64_t incx, T* y, int64_t incy, C c, S s) {
  const Strided<T> a(x, n, incx), b(y, n, incy);
  for (int64_t i = 0; i < n; ++i) {
    const Computed<T> p = widen(a[i]), q = widen(b[i]);
    a[i] = narrow<T>(c * p + s * q);
    b[i] = narrow<T>(c * q - conjugate(s) * p);
  }
}

/// A reduction of one vector, which is empty where its increment is not positive. `Result` may be
/// narrower than what `reduce(n)` returns.
template <class T, class Result, class Reduce>
cublasStatus_t reduce(Call& call, int64_t n, const T* x, int64_t incx, Result* result,
                      Reduce reduce) {
  const bool empty = n <= 0 || incx <= 0;
  if (!empty) call.size(n, "n has more than 31 bits").vector(x, n, incx, "x");
  return call.run_to(result, [=] { return empty ? Result{} : narrow<Result>(reduce()); });
}

}  // namespace level1

template <class T, class Result>
cublasStatus_t nrm2(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Result* result) {
  Call call(handle);
  return level1::reduce(call, n, x, incx, result, [=] { return level1::nrm2(n, x, incx); });
}

template <class T, class Result>
cublasStatus_t asum(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Result* result) {
  Call call(handle);
  return level1::reduce(call, n, x, incx, result, [=] { return level1::asum(n, x, incx); });
}

template <class T, class Index>
cublasStatus_t iamax(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Index* result) {
  Call call(handle);
  return level1::reduce(call, n, x, incx, result, [=] {
    return static_cast<double>(level1::best(n, x, incx, std::greater<>()));
  });
}

template <class T, class Index>
cublasStatus_t iamin(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, Index* result) {
  Call call(handle);
  return level1::reduce(call, n, x, incx, result, [=] {
    return static_cast<double>(level1::best(n, x, incx, std::less<>()));
  });
}

template <class T, class Result>
cublasStatus_t dot_product(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y,
                           int64_t incy, Result* result, bool conjugates) {
  Call call(handle);
  if (n > 0)
    call.size(n, "n has more than 31 bits").vector(x, n, incx, "x").vector(y, n, incy, "y");
  return call.run_to(result, [=] {
    return n > 0 ? narrow<Result>(widen(level1::dot(n, x, incx, y, incy, conjugates))) : Result{};
  });
}
template <class T>
cublasStatus_t dot(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y,
                   int64_t incy, T* result) {
  return dot_product(handle, n, x, incx, y, incy, result, false);
}
template <class T>
cublasStatus_t dotu(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y,
                    int64_t incy, T* result) {
  return dot_product(handle, n, x, incx, y, incy, result, false);
}
template <class T>
cublasStatus_t dotc(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, const T* y,
                    int64_t incy, T* result) {
  return dot_product(handle, n, x, incx, y, incy, result, true);
}

template <class T, class A>
cublasStatus_t scal_real(cublasHandle_t handle, int64_t n, const A* alpha, T* x, int64_t incx) {
  Call call(handle);
  if (n <= 0 || incx <= 0) return call.status();
  const auto factor = call.scalar(alpha, "alpha is null");
  return call.vector(x, n, incx, "x").run([=] { level1::scal(n, widen(factor()), x, incx); });
}
template <class T>
cublasStatus_t scal(cublasHandle_t handle, int64_t n, const T* alpha, T* x, int64_t incx) {
  return scal_real(handle, n, alpha, x, incx);
}

template <class T, class A>
cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const A* alpha, const T* x, int64_t incx,
                    T* y, int64_t incy) {
  Call call(handle);
  if (n <= 0) return call.status();
  const auto factor = call.scalar(alpha, "alpha is null");
  return call.size(n, "n has more than 31 bits")
      .vector(x, n, incx, "x")
      .vector(y, n, incy, "y")
      .run([=] { level1::axpy<T>(n, widen(factor()), x, incx, y, incy); });
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int64_t n, const T* x, int64_t incx, T* y,
                    int64_t incy) {
  Call call(handle);
  if (n <= 0) return call.status();
  return call.vector(x, n, incx, "x").vector(y, n, incy, "y").run([=] {
    const Strided<const T> from(x, n, incx);
    const Strided<T> to(y, n, incy);
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  });
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy) {
  Call call(handle);
  if (n <= 0) return call.status();
  return call.vector(x, n, incx, "x").vector(y, n, incy, "y").run([=] {
    const Strided<T> a(x, n, incx), b(y, n, incy);
    for (int64_t i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

template <class T, class C, class S>
cublasStatus_t rot(cublasHandle_t handle, int64_t n, T* x, int64_t incx, T* y, int64_t incy,
                   const C* c, const S* s) {
  Call call(handle);
  if (n <= 0) return call.status();
  const auto cosine = call.scalar(c, "c is null");
  const auto sine = call.scalar(s, "s is null");
  return call.vector(x, n, incx, "x").vector(y, n, incy, "y").run([=] {
    level1::rot(n, x, incx, y, incy, widen(cosine()), widen(sine()));
  });
}

/// Makes the rotation that takes (a, b) to (r, 0), and leaves r in a.
template <class T>
cublasStatus_t rotg(cublasHandle_t handle, T* a, T* b, Real<T>* c, T* s) {
  Call call(handle);
  call.require(a && b && c && s, "an address is null");
  const bool on_host = call.results_on_host();
  if (call.ok() && !on_host) {
    call.memory(a, 1, sizeof(T), "a")
        .memory(b, 1, sizeof(T), "b")
        .memory(c, 1, sizeof *c, "c")
        .memory(s, 1, sizeof(T), "s");
  }
  const cublasStatus_t status = call.run([=] { blas::rotg(a, b, c, s); });
  return status || !on_host ? status : wait_for(call.handle().stream);
}

// The variants whose types are arguments: all vectors have one type, and are computed in f32 where
// they have 16 bits.

cublasStatus_t iamax_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int* result);
cublasStatus_t iamax_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int64_t* result);
cublasStatus_t iamin_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int* result);
cublasStatus_t iamin_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int64_t* result);
cublasStatus_t nrm2_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                       int64_t incx, void* result, cudaDataType result_type, cudaDataType computed);
cublasStatus_t asum_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                       int64_t incx, void* result, cudaDataType result_type, cudaDataType computed);
cublasStatus_t dot_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                      int64_t incx, const void* y, cudaDataType ytype, int64_t incy, void* result,
                      cudaDataType result_type, cudaDataType computed);
cublasStatus_t dotc_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                       int64_t incx, const void* y, cudaDataType ytype, int64_t incy, void* result,
                       cudaDataType result_type, cudaDataType computed);
cublasStatus_t scal_ex(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alpha_type,
                       void* x, cudaDataType type, int64_t incx, cudaDataType computed);
cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alpha_type,
                       const void* x, cudaDataType xtype, int64_t incx, void* y, cudaDataType ytype,
                       int64_t incy, cudaDataType computed);
cublasStatus_t copy_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                       int64_t incx, void* y, cudaDataType ytype, int64_t incy);
cublasStatus_t swap_ex(cublasHandle_t handle, int64_t n, void* x, cudaDataType xtype, int64_t incx,
                       void* y, cudaDataType ytype, int64_t incy);
cublasStatus_t rot_ex(cublasHandle_t handle, int64_t n, void* x, cudaDataType xtype, int64_t incx,
                      void* y, cudaDataType ytype, int64_t incy, const void* c, const void* s,
                      cudaDataType factor_type, cudaDataType computed);
cublasStatus_t rotg_ex(cublasHandle_t handle, void* a, void* b, cudaDataType type, void* c, void* s,
                       cudaDataType factor_type, cudaDataType computed);

}  // namespace heddle::mathlibs
