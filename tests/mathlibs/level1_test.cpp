// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 1: vectors of all types, with increments of both signs.
#include "blas.h"

namespace {

constexpr int kSize = 37;
constexpr int kIncrements[] = {1, 2, -1, -3};

/// Where element i of a vector is.
size_t at(int i, int inc) {
  return static_cast<size_t>(inc < 0 ? (kSize - 1 - i) * -inc : i * inc);
}
size_t room(int inc) { return static_cast<size_t>((kSize - 1) * std::abs(inc) + 1); }

template <class T>
class Level1 : public BlasOf<T> {};
TYPED_TEST_SUITE(Level1, Elements);

TYPED_TEST(Level1, AxpyCopySwapScal) {
  using T = TypeParam;
  const T alpha = make<T>({0.5, -2});
  for (const int incx : kIncrements) {
    for (const int incy : kIncrements) {
      SCOPED_TRACE(testing::Message() << incx << ' ' << incy);
      const auto x = numbers<T>(room(incx), 1), y = numbers<T>(room(incy), 2);
      const Array<T> dx(x), dy(y);
      auto expected = y;
      for (int i = 0; i < kSize; ++i)
        expected[at(i, incy)] =
            make<T>(value(alpha) * value(x[at(i, incx)]) + value(y[at(i, incy)]));
      ASSERT_OK(Api<T>::axpy(this->handle, kSize, &alpha, dx.get(), incx, dy.get(), incy));
      EXPECT_LE(distance(dy.read(), expected), kTolerance<T>);

      auto swapped = x;
      for (int i = 0; i < kSize; ++i) std::swap(swapped[at(i, incx)], expected[at(i, incy)]);
      ASSERT_OK(Api<T>::swap(this->handle, kSize, dx.get(), incx, dy.get(), incy));
      EXPECT_LE(distance(dx.read(), swapped), kTolerance<T>);
      EXPECT_LE(distance(dy.read(), expected), kTolerance<T>);

      for (int i = 0; i < kSize; ++i) swapped[at(i, incx)] = expected[at(i, incy)];
      ASSERT_OK(Api<T>::copy(this->handle, kSize, dy.get(), incy, dx.get(), incx));
      EXPECT_LE(distance(dx.read(), swapped), kTolerance<T>);

      if (incx > 0) {
        for (int i = 0; i < kSize; ++i)
          swapped[at(i, incx)] = make<T>(value(alpha) * value(swapped[at(i, incx)]));
      }
      ASSERT_OK(Api<T>::scal(this->handle, kSize, &alpha, dx.get(), incx));
      EXPECT_LE(distance(dx.read(), swapped), kTolerance<T>);
    }
  }
}

template <class T, class Dot>
void check_dot(cublasHandle_t handle, Dot dot, bool conjugates) {
  for (const int incx : kIncrements) {
    for (const int incy : kIncrements) {
      const auto x = numbers<T>(room(incx), 1), y = numbers<T>(room(incy), 2);
      const Array<T> dx(x), dy(y), on_device(1);
      Number sum = 0;
      for (int i = 0; i < kSize; ++i) {
        const Number l = value(x[at(i, incx)]);
        sum += (conjugates ? std::conj(l) : l) * value(y[at(i, incy)]);
      }
      T on_host{};
      ASSERT_OK(cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST));
      ASSERT_OK(dot(handle, kSize, dx.get(), incx, dy.get(), incy, &on_host));
      EXPECT_LE(std::abs(value(on_host) - sum), 1e-5) << incx << ' ' << incy;
      ASSERT_OK(cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE));
      ASSERT_OK(dot(handle, kSize, dx.get(), incx, dy.get(), incy, on_device.get()));
      EXPECT_LE(std::abs(value(on_device.read()[0]) - sum), 1e-5) << incx << ' ' << incy;
    }
  }
}

using Reductions = Blas;
TEST_F(Reductions, Dot) {
  check_dot<float>(handle, cublasSdot_v2, false);
  check_dot<double>(handle, cublasDdot_v2, false);
  check_dot<cuComplex>(handle, cublasCdotu_v2, false);
  check_dot<cuComplex>(handle, cublasCdotc_v2, true);
  check_dot<cuDoubleComplex>(handle, cublasZdotu_v2, false);
  check_dot<cuDoubleComplex>(handle, cublasZdotc_v2, true);
}

template <class T, class R, class Norm, class Sum, class Most, class Least>
void check_norms(cublasHandle_t handle, Norm nrm2, Sum asum, Most iamax, Least iamin) {
  for (const int inc : {1, 3}) {
    const auto x = numbers<T>(room(inc), 5);
    const Array<T> dx(x);
    double squares = 0, sum = 0, most = -1, least = 1e9;
    int most_at = 0, least_at = 0;
    for (int i = 0; i < kSize; ++i) {
      const Number n = value(x[at(i, inc)]);
      const double size = std::abs(n.real()) + std::abs(n.imag());
      squares += std::norm(n);
      sum += size;
      if (size > most) most = size, most_at = i + 1;
      if (size < least) least = size, least_at = i + 1;
    }
    R norm = 0, total = 0;
    int high = 0, low = 0;
    ASSERT_OK(nrm2(handle, kSize, dx.get(), inc, &norm));
    ASSERT_OK(asum(handle, kSize, dx.get(), inc, &total));
    ASSERT_OK(iamax(handle, kSize, dx.get(), inc, &high));
    ASSERT_OK(iamin(handle, kSize, dx.get(), inc, &low));
    EXPECT_NEAR(norm, std::sqrt(squares), 1e-5);
    EXPECT_NEAR(total, sum, 1e-4);
    EXPECT_EQ(high, most_at);
    EXPECT_EQ(low, least_at);
    ASSERT_OK(nrm2(handle, 0, nullptr, inc, &norm));
    ASSERT_OK(iamax(handle, kSize, dx.get(), 0, &high));
    EXPECT_EQ(norm, 0);
    EXPECT_EQ(high, 0);
  }
}

TEST_F(Reductions, Norms) {
  check_norms<float, float>(handle, cublasSnrm2_v2, cublasSasum_v2, cublasIsamax_v2,
                            cublasIsamin_v2);
  check_norms<double, double>(handle, cublasDnrm2_v2, cublasDasum_v2, cublasIdamax_v2,
                              cublasIdamin_v2);
  check_norms<cuComplex, float>(handle, cublasScnrm2_v2, cublasScasum_v2, cublasIcamax_v2,
                                cublasIcamin_v2);
  check_norms<cuDoubleComplex, double>(handle, cublasDznrm2_v2, cublasDzasum_v2, cublasIzamax_v2,
                                       cublasIzamin_v2);
}

TEST_F(Reductions, NormsDoNotOverflow) {
  const Array<float> x({3e30F, 4e30F});
  float norm = 0;
  ASSERT_OK(cublasSnrm2_v2(handle, 2, x.get(), 1, &norm));
  EXPECT_FLOAT_EQ(norm, 5e30F);
}

TEST_F(Reductions, IndicesOf64Bits) {
  const Array<float> x({1, -7, 3});
  int64_t index = -1;
  ASSERT_OK(cublasIsamax_v2_64(handle, 3, x.get(), 1, &index));
  EXPECT_EQ(index, 2);
}

using Rotations = Blas;
TEST_F(Rotations, RealAndComplex) {
  const Array<float> x({1, 2}), y({3, 4});
  const float c = 0.6F, s = 0.8F;
  ASSERT_OK(cublasSrot_v2(handle, 2, x.get(), 1, y.get(), 1, &c, &s));
  EXPECT_LE(distance(x.read(), std::vector<float>{3.0F, 4.4F}), 1e-6);
  EXPECT_LE(distance(y.read(), std::vector<float>{1.0F, 0.8F}), 1e-6);

  const Array<cuComplex> p({{1, 1}}), q({{0, 2}});
  const cuComplex i = {0, 1};
  const float zero = 0;
  ASSERT_OK(cublasCrot_v2(handle, 1, p.get(), 1, q.get(), 1, &zero, &i));  // p = i q, q = i p
  EXPECT_LE(distance(p.read(), std::vector<cuComplex>{{-2, 0}}), 1e-6);
  EXPECT_LE(distance(q.read(), std::vector<cuComplex>{{-1, 1}}), 1e-6);
}

TEST_F(Rotations, Made) {
  float a = 3, b = 4, c = 0, s = 0;
  ASSERT_OK(cublasSrotg_v2(handle, &a, &b, &c, &s));
  EXPECT_FLOAT_EQ(std::abs(a), 5);
  EXPECT_FLOAT_EQ(c * 3 + s * 4, a);
  EXPECT_NEAR(c * 4 - s * 3, 0, 1e-6);
}

template <class T>
class Halves : public BlasOf<T> {
 public:
  static constexpr cudaDataType kType = std::is_same_v<T, F16> ? CUDA_R_16F : CUDA_R_16BF;
};
using SmallTypes = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(Halves, SmallTypes);

TYPED_TEST(Halves, AreComputedInF32) {
  using T = TypeParam;
  constexpr cudaDataType type = TestFixture::kType;
  const auto x = numbers<T>(kSize, 1), y = numbers<T>(kSize, 2);
  const Array<T> dx(x), dy(y);
  const float alpha = 0.5;
  auto sum = y;
  double dot = 0, squares = 0, total = 0;
  for (size_t i = 0; i < kSize; ++i) {
    dot += value(x[i]).real() * value(y[i]).real();
    squares += std::norm(value(x[i]));
    total += std::abs(value(x[i]).real());
    sum[i] = make<T>(0.5 * value(x[i]) + value(y[i]));
  }
  T result{}, norm{}, magnitude{};
  ASSERT_OK(cublasDotEx(this->handle, kSize, dx.get(), type, 1, dy.get(), type, 1, &result, type,
                        CUDA_R_32F));
  ASSERT_OK(cublasNrm2Ex(this->handle, kSize, dx.get(), type, 1, &norm, type, CUDA_R_32F));
  ASSERT_OK(cublasAsumEx(this->handle, kSize, dx.get(), type, 1, &magnitude, type, CUDA_R_32F));
  EXPECT_NEAR(value(result).real(), dot, kTolerance<T> * (1 + std::abs(dot)));
  EXPECT_NEAR(value(norm).real(), std::sqrt(squares), kTolerance<T> * 10);
  EXPECT_NEAR(value(magnitude).real(), total, kTolerance<T> * (1 + total));
  ASSERT_OK(cublasAxpyEx(this->handle, kSize, &alpha, CUDA_R_32F, dx.get(), type, 1, dy.get(), type,
                         1, CUDA_R_32F));
  EXPECT_LE(distance(dy.read(), sum), 0.0);
  for (T& v : sum) v = make<T>(0.5 * value(v));
  ASSERT_OK(cublasScalEx(this->handle, kSize, &alpha, CUDA_R_32F, dy.get(), type, 1, CUDA_R_32F));
  EXPECT_LE(distance(dy.read(), sum), 0.0);
  EXPECT_EQ(
      cublasScalEx(this->handle, kSize, &alpha, CUDA_R_32F, dy.get(), CUDA_R_8I, 1, CUDA_R_32F),
      CUBLAS_STATUS_NOT_SUPPORTED);
}

}  // namespace
