// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 2: each way to store a matrix against the same product with a whole matrix.
#include "blas.h"

namespace {

constexpr int kSize = 9;

/// Element i of a vector of n elements.
template <class T>
T& entry(std::vector<T>& x, int n, int inc, int i) {
  return x[static_cast<size_t>(inc < 0 ? (n - 1 - i) * -inc : i * inc)];
}

/// alpha M x + beta y, where matrix(i, j) is an element of M.
template <class T, class Matrix>
std::vector<T> product(int rows, int cols, Number alpha, Matrix matrix, std::vector<T> x, int incx,
                       Number beta, std::vector<T> y, int incy) {
  for (int i = 0; i < rows; ++i) {
    Number sum = 0;
    for (int j = 0; j < cols; ++j) sum += matrix(i, j) * value(entry(x, cols, incx, j));
    T& out = entry(y, rows, incy, i);
    out = make<T>(alpha * sum + (beta == 0.0 ? 0.0 : beta * value(out)));
  }
  return y;
}

template <class T>
class Level2 : public BlasOf<T> {};
TYPED_TEST_SUITE(Level2, Elements);

TYPED_TEST(Level2, General) {
  using T = TypeParam;
  for (const auto op : kOps) {
    for (const int inc : {1, -2}) {
      for (const Number q : {Number(0), Number(2)}) {
        constexpr int m = 7, n = 5, lda = 8;
        const int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
        const auto a = numbers<T>(lda * n, 1), x = numbers<T>(20, 2),
                   y = q == 0.0 ? filled<T>(20, kNaN) : numbers<T>(20, 3);
        const Array<T> da(a), dx(x), dy(y);
        const T alpha = make<T>({1, 1}), beta = make<T>(q);
        ASSERT_OK(Api<T>::gemv(this->handle, op, m, n, &alpha, da.get(), lda, dx.get(), inc, &beta,
                               dy.get(), inc));
        const auto matrix = [&](int i, int j) { return element(a, lda, op, i, j); };
        EXPECT_LE(distance(dy.read(), product(out, in, value(alpha), matrix, x, inc, q, y, inc)),
                  kTolerance<T>)
            << op << inc << q;
      }
    }
  }
}

TYPED_TEST(Level2, Band) {
  using T = TypeParam;
  constexpr int m = 7, n = 6, below = 2, above = 1, lda = 5;
  const auto a = numbers<T>(lda * n, 1), x = numbers<T>(m, 2);
  const Array<T> da(a), dx(x);
  const T alpha = make<T>({1, -1}), beta = make<T>(0);
  for (const auto op : kOps) {
    const auto stored = [&](int i, int j) -> Number {
      return i - j > below || j - i > above
                 ? 0
                 : value(a[static_cast<size_t>(above + i - j + j * lda)]);
    };
    const auto matrix = [&](int i, int j) {
      return op == CUBLAS_OP_N   ? stored(i, j)
             : op == CUBLAS_OP_T ? stored(j, i)
                                 : std::conj(stored(j, i));
    };
    const int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
    const auto y = filled<T>(static_cast<size_t>(out), kNaN);
    const Array<T> dy(y);
    ASSERT_OK(Api<T>::gbmv(this->handle, op, m, n, below, above, &alpha, da.get(), lda, dx.get(), 1,
                           &beta, dy.get(), 1));
    const std::vector<T> used(x.begin(), x.begin() + in);
    EXPECT_LE(distance(dy.read(), product(out, in, value(alpha), matrix, used, 1, 0, y, 1)),
              kTolerance<T>)
        << op;
  }
}

/// A symmetric or Hermitian matrix that is stored in one triangle.
template <class T>
auto symmetric(const std::vector<T>& a, cublasFillMode_t fill, bool hermitian) {
  return [&a, fill, hermitian](int i, int j) -> Number {
    const bool here = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
    const Number x =
        value(here ? a[static_cast<size_t>(i + j * kSize)] : a[static_cast<size_t>(j + i * kSize)]);
    return !hermitian ? x : i == j ? x.real() : here ? x : std::conj(x);
  };
}

TYPED_TEST(Level2, SymmetricProductsAndUpdates) {
  using T = TypeParam;
  const auto a = numbers<T>(kSize * kSize, 1), x = numbers<T>(kSize * 2, 2),
             y = numbers<T>(kSize * 2, 3);
  const T alpha = make<T>({1, 2}), beta = make<T>(-1);
  for (const auto fill : kFills) {
    for (const int inc : {1, -2}) {
      SCOPED_TRACE(testing::Message() << fill << ' ' << inc);
      const Array<T> da(a), dx(x), dy(y);
      ASSERT_OK(Api<T>::symv(this->handle, fill, kSize, &alpha, da.get(), kSize, dx.get(), inc,
                             &beta, dy.get(), inc));
      EXPECT_LE(distance(dy.read(), product(kSize, kSize, value(alpha), symmetric(a, fill, false),
                                            x, inc, -1, y, inc)),
                kTolerance<T>);
      auto expected = a, once = x, other = dy.read();
      const auto update = [&](auto term) {
        for (int j = 0; j < kSize; ++j) {
          for (int i = 0; i < kSize; ++i) {
            T& out = expected[static_cast<size_t>(i + j * kSize)];
            if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)
              out = make<T>(value(out) + value(alpha) * term(i, j));
          }
        }
      };
      const auto p = [&](int i) { return value(entry(once, kSize, inc, i)); };
      const auto q = [&](int i) { return value(entry(other, kSize, inc, i)); };
      ASSERT_OK(Api<T>::syr(this->handle, fill, kSize, &alpha, dx.get(), inc, da.get(), kSize));
      update([&](int i, int j) { return p(i) * p(j); });
      EXPECT_LE(distance(da.read(), expected), kTolerance<T>);
      ASSERT_OK(Api<T>::syr2(this->handle, fill, kSize, &alpha, dx.get(), inc, dy.get(), inc,
                             da.get(), kSize));
      update([&](int i, int j) { return p(i) * q(j) + q(i) * p(j); });
      EXPECT_LE(distance(da.read(), expected), kTolerance<T> * 10);
    }
  }
}

using Hermitian = Blas;
TEST_F(Hermitian, ProductsAndUpdates) {
  using T = cuComplex;
  const auto a = numbers<T>(kSize * kSize, 1), x = numbers<T>(kSize, 2), y = numbers<T>(kSize, 3);
  const T alpha = make<T>({1, 2}), beta = make<T>(-1);
  const float real = 2;
  for (const auto fill : kFills) {
    const Array<T> da(a), dx(x), dy(y);
    ASSERT_OK(cublasChemv_v2(handle, fill, kSize, &alpha, da.get(), kSize, dx.get(), 1, &beta,
                             dy.get(), 1));
    EXPECT_LE(distance(dy.read(), product(kSize, kSize, value(alpha), symmetric(a, fill, true), x,
                                          1, -1, y, 1)),
              1e-5);
    ASSERT_OK(cublasCher_v2(handle, fill, kSize, &real, dx.get(), 1, da.get(), kSize));
    auto expected = a;
    for (int j = 0; j < kSize; ++j) {
      for (int i = 0; i < kSize; ++i) {
        if (fill == CUBLAS_FILL_MODE_UPPER ? i > j : i < j) continue;
        T& out = expected[static_cast<size_t>(i + j * kSize)];
        const Number sum = value(out) + 2.0 * value(x[static_cast<size_t>(i)]) *
                                            std::conj(value(x[static_cast<size_t>(j)]));
        out = make<T>(i == j ? Number(sum.real()) : sum);
      }
    }
    EXPECT_LE(distance(da.read(), expected), 1e-5) << fill;
  }
}

TYPED_TEST(Level2, TriangularProductsAreUndoneBySolving) {
  using T = TypeParam;
  auto a = numbers<T>(kSize * kSize, 1);
  for (size_t i = 0; i < kSize; ++i) a[i * (kSize + 1)] = make<T>({4, 1});  // well conditioned
  const auto x = numbers<T>(kSize, 2);
  const Array<T> da(a), packed(kSize * (kSize + 1) / 2);
  for (const auto fill : kFills) {
    for (const auto op : kOps) {
      for (const auto diag : kDiags) {
        SCOPED_TRACE(testing::Message() << fill << op << diag);
        const auto triangle = [&](int i, int j) -> Number {
          if (i == j && diag == CUBLAS_DIAG_UNIT) return 1;
          const int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
          return (fill == CUBLAS_FILL_MODE_UPPER ? r > c : r < c) ? 0 : element(a, kSize, op, i, j);
        };
        const Array<T> dx(x);
        ASSERT_OK(Api<T>::trmv(this->handle, fill, op, diag, kSize, da.get(), kSize, dx.get(), 1));
        EXPECT_LE(distance(dx.read(), product(kSize, kSize, 1, triangle, x, 1, 0, x, 1)),
                  kTolerance<T>);
        const auto multiplied = dx.read();
        ASSERT_OK(Api<T>::trsv(this->handle, fill, op, diag, kSize, da.get(), kSize, dx.get(), 1));
        EXPECT_LE(distance(dx.read(), x), kTolerance<T> * 1000);
        // The same matrix, packed.
        ASSERT_OK(Api<T>::trttp(this->handle, fill, kSize, da.get(), kSize, packed.get()));
        dx.set(multiplied);
        ASSERT_OK(Api<T>::tpsv(this->handle, fill, op, diag, kSize, packed.get(), dx.get(), 1));
        EXPECT_LE(distance(dx.read(), x), kTolerance<T> * 1000);
      }
    }
  }
}

}  // namespace
