// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of the tests of this folder: a handle for each test, arrays on the device, matrices
// of numbers that look random, and products computed in complex doubles to compare with.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "driver/api.h"
#include "mathlibs/api.h"

#define EXPECT_OK(call) EXPECT_EQ(static_cast<int>(call), 0)
#define ASSERT_OK(call) ASSERT_EQ(static_cast<int>(call), 0)

using Number = std::complex<double>;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline Number value(float x) { return x; }
inline Number value(double x) { return x; }
inline Number value(cuComplex x) { return {x.x, x.y}; }
inline Number value(cuDoubleComplex x) { return {x.x, x.y}; }
inline Number value(int8_t x) { return x; }
inline Number value(int x) { return x; }

template <class T>
T make(Number x) {
  return static_cast<T>(x.real());
}
template <>
inline cuComplex make(Number x) {
  return {static_cast<float>(x.real()), static_cast<float>(x.imag())};
}
template <>
inline cuDoubleComplex make(Number x) {
  return {x.real(), x.imag()};
}

/// 16-bit floating-point numbers, which C++20 lacks.
struct F16 {
  _Float16 number;
};
struct BF16 {
  uint16_t bits;
};
inline Number value(F16 x) { return static_cast<double>(x.number); }
inline Number value(BF16 x) {
  const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
  float out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
template <>
inline F16 make(Number x) {
  return {static_cast<_Float16>(static_cast<float>(x.real()))};
}
template <>
inline BF16 make(Number x) {
  const auto single = static_cast<float>(x.real());
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

/// An array on the device, which ends where its allocation ends: no access beyond it stays
/// unnoticed.
template <class T>
class Array {
 public:
  explicit Array(std::vector<T> from) : size_(from.size()) {
    constexpr size_t kPage = 4096;
    const size_t bytes = size_ * sizeof(T), room = (bytes / kPage + 1) * kPage;
    EXPECT_OK(cuMemAlloc_v2(&allocation_, room));
    address_ = allocation_ + room - bytes;
    set(from);
  }
  explicit Array(size_t size) : Array(std::vector<T>(size)) {}
  ~Array() { EXPECT_OK(cuMemFree_v2(allocation_)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* get() const { return reinterpret_cast<T*>(address_); }
  void set(const std::vector<T>& from) const {
    if (size_) EXPECT_OK(cuMemcpyHtoD_v2(address_, from.data(), size_ * sizeof(T)));
  }
  /// Waits for all work before.
  std::vector<T> read() const {
    std::vector<T> out(size_);
    EXPECT_OK(cuCtxSynchronize());
    if (size_) EXPECT_OK(cuMemcpyDtoH_v2(out.data(), address_, size_ * sizeof(T)));
    return out;
  }

 private:
  size_t size_;
  CUdeviceptr allocation_ = 0, address_ = 0;
};

/// Numbers between -1 and 1 in steps of 1/8, the same in every run; complex ones where T has them.
template <class T>
std::vector<T> numbers(size_t count, unsigned seed = 1) {
  std::vector<T> out(count);
  for (T& x : out) {
    const auto part = [&] {
      seed = seed * 1664525 + 1013904223;
      return (static_cast<int>(seed >> 24) % 17 - 8) / 8.0;
    };
    const double real = part();
    x = make<T>({real, part()});
  }
  return out;
}

template <class T>
std::vector<T> filled(size_t count, Number with) {
  return std::vector<T>(count, make<T>(with));
}

/// op(A)(i, j) of a matrix stored by columns.
template <class T>
Number element(const std::vector<T>& a, int ld, cublasOperation_t op, int i, int j) {
  const size_t at =
      op == CUBLAS_OP_N ? static_cast<size_t>(i + j * ld) : static_cast<size_t>(j + i * ld);
  return op == CUBLAS_OP_C ? std::conj(value(a[at])) : value(a[at]);
}

/// The largest distance of two elements, relative to the size of the numbers.
template <class T>
double distance(const std::vector<T>& left, const std::vector<T>& right) {
  double most = left.size() == right.size() ? 0 : kNaN;
  for (size_t i = 0; i < left.size(); ++i) {
    const Number l = value(left[i]), r = value(right[i]);
    if (std::isnan(l.real()) && std::isnan(r.real())) continue;  // what neither has written
    const double d = std::abs(l - r) / (1 + std::abs(r));
    if (!(d <= most)) most = d;
  }
  return most;
}

/// What rounding of sums of a few hundred numbers leaves.
template <class T>
inline constexpr double kTolerance =
    std::is_same_v<T, double> || std::is_same_v<T, cuDoubleComplex> ? 1e-13
    : std::is_same_v<T, F16>                                        ? 1e-3
    : std::is_same_v<T, BF16>                                       ? 8e-3
                                                                    : 1e-5;

/// A context and a handle for each test.
class Blas : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
    ASSERT_OK(cublasCreate_v2(&handle));
  }
  void TearDown() override {
    EXPECT_OK(cublasDestroy_v2(handle));
    EXPECT_OK(cuCtxDestroy_v2(context));
  }
  CUcontext context = nullptr;
  cublasHandle_t handle = nullptr;
};

inline constexpr cublasOperation_t kOps[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
inline constexpr cublasFillMode_t kFills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
inline constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
inline constexpr cublasDiagType_t kDiags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

/// The functions of one type. Functions that only some types have are named where they are tested.
template <class T>
struct Api;
#define BLAS_API(T, p)                                                  \
  template <>                                                           \
  struct Api<T> {                                                       \
    static constexpr auto axpy = cublas##p##axpy_v2;                    \
    static constexpr auto scal = cublas##p##scal_v2;                    \
    static constexpr auto copy = cublas##p##copy_v2;                    \
    static constexpr auto swap = cublas##p##swap_v2;                    \
    static constexpr auto gemv = cublas##p##gemv_v2;                    \
    static constexpr auto gbmv = cublas##p##gbmv_v2;                    \
    static constexpr auto symv = cublas##p##symv_v2;                    \
    static constexpr auto syr = cublas##p##syr_v2;                      \
    static constexpr auto syr2 = cublas##p##syr2_v2;                    \
    static constexpr auto trmv = cublas##p##trmv_v2;                    \
    static constexpr auto trsv = cublas##p##trsv_v2;                    \
    static constexpr auto tbmv = cublas##p##tbmv_v2;                    \
    static constexpr auto tpsv = cublas##p##tpsv_v2;                    \
    static constexpr auto gemm = cublas##p##gemm_v2;                    \
    static constexpr auto gemm_64 = cublas##p##gemm_v2_64;              \
    static constexpr auto gemm_batched = cublas##p##gemmBatched;        \
    static constexpr auto gemm_strided = cublas##p##gemmStridedBatched; \
    static constexpr auto gemv_batched = cublas##p##gemvBatched;        \
    static constexpr auto gemv_strided = cublas##p##gemvStridedBatched; \
    static constexpr auto symm = cublas##p##symm_v2;                    \
    static constexpr auto syrk = cublas##p##syrk_v2;                    \
    static constexpr auto syr2k = cublas##p##syr2k_v2;                  \
    static constexpr auto syrkx = cublas##p##syrkx;                     \
    static constexpr auto trsm = cublas##p##trsm_v2;                    \
    static constexpr auto trmm = cublas##p##trmm_v2;                    \
    static constexpr auto trsm_batched = cublas##p##trsmBatched;        \
    static constexpr auto geam = cublas##p##geam;                       \
    static constexpr auto dgmm = cublas##p##dgmm;                       \
    static constexpr auto getrf = cublas##p##getrfBatched;              \
    static constexpr auto getri = cublas##p##getriBatched;              \
    static constexpr auto getrs = cublas##p##getrsBatched;              \
    static constexpr auto matinv = cublas##p##matinvBatched;            \
    static constexpr auto trttp = cublas##p##trttp;                     \
    static constexpr auto tpttr = cublas##p##tpttr;                     \
  };
BLAS_API(float, S)
BLAS_API(double, D)
BLAS_API(cuComplex, C)
BLAS_API(cuDoubleComplex, Z)

template <class T>
class BlasOf : public Blas {};
using Elements = testing::Types<float, double, cuComplex, cuDoubleComplex>;
