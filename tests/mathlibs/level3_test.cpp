// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS level 3 beside the general product, and the BLAS-like extensions.
#include "blas.h"

namespace {

/// A matrix of numbers, for references.
using Matrix = std::vector<Number>;

template <class T>
Matrix widened(const std::vector<T>& a) {
  Matrix out;
  for (const T& x : a) out.push_back(value(x));
  return out;
}

/// L (m x k) times R (k x n), all stored by columns without gaps.
Matrix times(const Matrix& l, const Matrix& r, int m, int n, int k) {
  Matrix out(static_cast<size_t>(m * n));
  for (int j = 0; j < n; ++j) {
    for (int p = 0; p < k; ++p) {
      for (int i = 0; i < m; ++i)
        out[static_cast<size_t>(i + j * m)] +=
            l[static_cast<size_t>(i + p * m)] * r[static_cast<size_t>(p + j * k)];
    }
  }
  return out;
}

/// op(A), which has `rows` rows.
Matrix turned(const Matrix& a, cublasOperation_t op, int rows, int cols) {
  Matrix out;
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) {
      const Number x = op == CUBLAS_OP_N ? a[static_cast<size_t>(i + j * rows)]
                                         : a[static_cast<size_t>(j + i * cols)];
      out.push_back(op == CUBLAS_OP_C ? std::conj(x) : x);
    }
  }
  return out;
}

bool is_stored(cublasFillMode_t fill, int i, int j) {
  return fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
}

/// What a function that reads one triangle takes the matrix for.
Matrix from_triangle(const Matrix& a, cublasFillMode_t fill, int n, Number (*mirror)(Number)) {
  Matrix out = a;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (!is_stored(fill, i, j))
        out[static_cast<size_t>(i + j * n)] = mirror(a[static_cast<size_t>(j + i * n)]);
    }
  }
  return out;
}

/// alpha X + beta C in one triangle of C.
template <class T>
std::vector<T> updated(cublasFillMode_t fill, int n, Number alpha, const Matrix& x, Number beta,
                       std::vector<T> c, bool hermitian = false) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      T& out = c[static_cast<size_t>(i + j * n)];
      Number sum =
          alpha * x[static_cast<size_t>(i + j * n)] + (beta == 0.0 ? 0.0 : beta * value(out));
      if (hermitian && i == j) sum = sum.real();
      if (is_stored(fill, i, j)) out = make<T>(sum);
    }
  }
  return c;
}

template <class T>
std::vector<T> narrowed(const Matrix& a) {
  std::vector<T> out;
  for (const Number x : a) out.push_back(make<T>(x));
  return out;
}

template <class T>
class Level3 : public BlasOf<T> {};
TYPED_TEST_SUITE(Level3, Elements);

TYPED_TEST(Level3, Symmetric) {
  using T = TypeParam;
  constexpr int m = 5, n = 7;
  const T alpha = make<T>({1, 1}), beta = make<T>(0);
  for (const auto side : kSides) {
    for (const auto fill : kFills) {
      const int order = side == CUBLAS_SIDE_LEFT ? m : n;
      const auto a = numbers<T>(static_cast<size_t>(order * order), 1), b = numbers<T>(m * n, 2);
      const Array<T> da(a), db(b), dc(filled<T>(m * n, kNaN));
      ASSERT_OK(Api<T>::symm(this->handle, side, fill, m, n, &alpha, da.get(), order, db.get(), m,
                             &beta, dc.get(), m));
      const Matrix whole = from_triangle(widened(a), fill, order, [](Number x) { return x; });
      Matrix expected = side == CUBLAS_SIDE_LEFT ? times(whole, widened(b), m, n, m)
                                                 : times(widened(b), whole, m, n, n);
      for (Number& x : expected) x *= value(alpha);
      EXPECT_LE(distance(dc.read(), narrowed<T>(expected)), kTolerance<T>) << side << fill;
    }
  }
}

TYPED_TEST(Level3, UpdatesOfRankK) {
  using T = TypeParam;
  constexpr int n = 6, k = 4;
  const T alpha = make<T>({2, 1}), beta = make<T>(-1);
  const auto a = numbers<T>(n * k, 1), b = numbers<T>(n * k, 2), c = numbers<T>(n * n, 3);
  const Array<T> da(a), db(b);
  for (const auto fill : kFills) {
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      SCOPED_TRACE(testing::Message() << fill << op);
      const int ld = op == CUBLAS_OP_N ? n : k;
      const Matrix p = turned(widened(a), op, n, k), q = turned(widened(b), op, n, k);
      const Matrix pt = turned(p, CUBLAS_OP_T, k, n), qt = turned(q, CUBLAS_OP_T, k, n);
      const Array<T> dc(c);
      ASSERT_OK(
          Api<T>::syrk(this->handle, fill, op, n, k, &alpha, da.get(), ld, &beta, dc.get(), n));
      EXPECT_LE(distance(dc.read(), updated(fill, n, value(alpha), times(p, pt, n, n, k), -1, c)),
                kTolerance<T>);
      dc.set(c);
      ASSERT_OK(Api<T>::syrkx(this->handle, fill, op, n, k, &alpha, da.get(), ld, db.get(), ld,
                              &beta, dc.get(), n));
      EXPECT_LE(distance(dc.read(), updated(fill, n, value(alpha), times(p, qt, n, n, k), -1, c)),
                kTolerance<T>);
      dc.set(c);
      ASSERT_OK(Api<T>::syr2k(this->handle, fill, op, n, k, &alpha, da.get(), ld, db.get(), ld,
                              &beta, dc.get(), n));
      Matrix both = times(p, qt, n, n, k);
      const Matrix other = times(q, pt, n, n, k);
      for (size_t i = 0; i < both.size(); ++i) both[i] += other[i];
      EXPECT_LE(distance(dc.read(), updated(fill, n, value(alpha), both, -1, c)), kTolerance<T>);
    }
  }
}

using HermitianLevel3 = Blas;
TEST_F(HermitianLevel3, ProductsAndUpdates) {
  using T = cuDoubleComplex;
  constexpr int n = 5, k = 3;
  auto c = numbers<T>(n * n, 3), h = numbers<T>(n * n, 4);
  for (size_t i = 0; i < n; ++i) c[i * (n + 1)].y = h[i * (n + 1)].y = 0;
  const auto a = numbers<T>(n * k, 1), b = numbers<T>(n * k, 2), wide = numbers<T>(n * n, 5);
  const Array<T> da(a), db(b), dh(h), dw(wide);
  const double two = 2, minus = -1;
  const T alpha = {1, 2}, zero = {0, 0};
  for (const auto fill : kFills) {
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
      SCOPED_TRACE(testing::Message() << fill << op);
      const int ld = op == CUBLAS_OP_N ? n : k;
      const Matrix p = turned(widened(a), op, n, k), q = turned(widened(b), op, n, k);
      const Matrix ph = turned(p, CUBLAS_OP_C, k, n), qh = turned(q, CUBLAS_OP_C, k, n);
      const Array<T> dc(c);
      ASSERT_OK(cublasZherk_v2(handle, fill, op, n, k, &two, da.get(), ld, &minus, dc.get(), n));
      EXPECT_LE(distance(dc.read(), updated(fill, n, 2, times(p, ph, n, n, k), -1, c, true)),
                1e-13);
      dc.set(c);
      ASSERT_OK(cublasZher2k_v2(handle, fill, op, n, k, &alpha, da.get(), ld, db.get(), ld, &minus,
                                dc.get(), n));
      Matrix both = times(p, qh, n, n, k);
      const Matrix other = times(q, ph, n, n, k);
      for (size_t i = 0; i < both.size(); ++i)
        both[i] = value(alpha) * both[i] + std::conj(value(alpha)) * other[i];
      EXPECT_LE(distance(dc.read(), updated(fill, n, 1, both, -1, c, true)), 1e-13);
      dc.set(c);
      ASSERT_OK(cublasZherkx(handle, fill, op, n, k, &alpha, da.get(), ld, da.get(), ld, &minus,
                             dc.get(), n));
      const auto x = dc.read();
      EXPECT_EQ(x[0].y, 0);
    }
    const Array<T> dc(filled<T>(n * n, kNaN));
    ASSERT_OK(cublasZhemm_v2(handle, CUBLAS_SIDE_LEFT, fill, n, n, &alpha, dh.get(), n, dw.get(), n,
                             &zero, dc.get(), n));
    Matrix expected =
        times(from_triangle(widened(h), fill, n, [](Number x) { return std::conj(x); }),
              widened(wide), n, n, n);
    for (Number& x : expected) x *= value(alpha);
    EXPECT_LE(distance(dc.read(), narrowed<T>(expected)), 1e-13);
  }
  // Complex symmetric matrices are transposed, Hermitian ones conjugated as well.
  EXPECT_EQ(cublasZherk_v2(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, k, &two, da.get(), n,
                           &minus, dh.get(), n),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasZsyrk_v2(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, n, k, &alpha, da.get(), n,
                           &zero, dh.get(), n),
            CUBLAS_STATUS_INVALID_VALUE);
}

TYPED_TEST(Level3, TriangularProductsAreUndoneBySolving) {
  using T = TypeParam;
  constexpr int m = 6, n = 4;
  const T two = make<T>(2), half = make<T>(0.5), zero = make<T>(0);
  for (const auto side : kSides) {
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    auto a = numbers<T>(static_cast<size_t>(order * order), 1);
    for (int i = 0; i < order; ++i) a[static_cast<size_t>(i * (order + 1))] = make<T>({4, 1});
    const auto b = numbers<T>(m * n, 2);
    const Array<T> da(a), db(b);
    for (const auto fill : kFills) {
      for (const auto op : kOps) {
        for (const auto diag : kDiags) {
          SCOPED_TRACE(testing::Message() << side << fill << op << diag);
          Matrix triangle =
              from_triangle(widened(a), fill, order, [](Number) { return Number(0); });
          for (int i = 0; i < order && diag == CUBLAS_DIAG_UNIT; ++i)
            triangle[static_cast<size_t>(i * (order + 1))] = 1;
          const Matrix t = turned(triangle, op, order, order);
          Matrix expected = side == CUBLAS_SIDE_LEFT ? times(t, widened(b), m, n, m)
                                                     : times(widened(b), t, m, n, n);
          for (Number& x : expected) x *= 2;
          const Array<T> dc(filled<T>(m * n, kNaN));
          ASSERT_OK(Api<T>::trmm(this->handle, side, fill, op, diag, m, n, &two, da.get(), order,
                                 db.get(), m, dc.get(), m));
          EXPECT_LE(distance(dc.read(), narrowed<T>(expected)), kTolerance<T>);
          ASSERT_OK(Api<T>::trsm(this->handle, side, fill, op, diag, m, n, &half, da.get(), order,
                                 dc.get(), m));
          EXPECT_LE(distance(dc.read(), b), kTolerance<T> * 1000);
          dc.set(narrowed<T>(expected));
          const Array<const T*> as({da.get()});
          const Array<T*> cs({dc.get()});
          ASSERT_OK(Api<T>::trsm_batched(this->handle, side, fill, op, diag, m, n, &half, as.get(),
                                         order, cs.get(), m, 1));
          EXPECT_LE(distance(dc.read(), b), kTolerance<T> * 1000);
          dc.set(filled<T>(m * n, kNaN));
          ASSERT_OK(Api<T>::trsm(this->handle, side, fill, op, diag, m, n, &zero, da.get(), order,
                                 dc.get(), m));
          EXPECT_LE(distance(dc.read(), filled<T>(m * n, 0)), 0.0);
        }
      }
    }
  }
}

// --- extensions ---

TYPED_TEST(Level3, SumsAndDiagonals) {
  using T = TypeParam;
  constexpr int m = 4, n = 3;
  const auto a = numbers<T>(m * n, 1), b = numbers<T>(m * n, 2), x = numbers<T>(m, 3);
  const Array<T> da(a), db(b), dx(x);
  const T alpha = make<T>({1, 1}), beta = make<T>(-2), zero = make<T>(0);
  for (const auto opa : kOps) {
    for (const auto opb : kOps) {
      const Matrix p = turned(widened(a), opa, m, n), q = turned(widened(b), opb, m, n);
      Matrix expected;
      for (size_t i = 0; i < p.size(); ++i) expected.push_back(value(alpha) * p[i] - 2.0 * q[i]);
      const Array<T> dc(filled<T>(m * n, kNaN));
      ASSERT_OK(Api<T>::geam(this->handle, opa, opb, m, n, &alpha, da.get(),
                             opa == CUBLAS_OP_N ? m : n, &beta, db.get(),
                             opb == CUBLAS_OP_N ? m : n, dc.get(), m));
      EXPECT_LE(distance(dc.read(), narrowed<T>(expected)), kTolerance<T>);
    }
  }
  const Array<T> dc(m * n);
  ASSERT_OK(Api<T>::geam(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, &zero, nullptr, m, &zero,
                         nullptr, m, dc.get(), m));
  EXPECT_LE(distance(dc.read(), filled<T>(m * n, 0)), 0.0);
  for (const auto side : kSides) {
    std::vector<T> expected;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i)
        expected.push_back(
            make<T>(value(a[static_cast<size_t>(i + j * m)]) *
                    value(x[static_cast<size_t>(side == CUBLAS_SIDE_LEFT ? i : j)])));
    }
    ASSERT_OK(Api<T>::dgmm(this->handle, side, m, n, da.get(), m, dx.get(), 1, dc.get(), m));
    EXPECT_LE(distance(dc.read(), expected), kTolerance<T>);
  }
}

TYPED_TEST(Level3, FactorsSolveAndInvert) {
  using T = TypeParam;
  constexpr int n = 5, count = 2;
  const auto a = numbers<T>(n * n * count, 9), b = numbers<T>(n * count, 2);
  for (const bool pivots : {true, false}) {
    auto start = a;
    for (size_t i = 0; i < n * count && !pivots; ++i)
      start[i / n * n * n + i % n * (n + 1)] = make<T>({4, 1});
    const Array<T> da(start), db(b), inverse(n * n * count);
    const Array<int> dp(n * count), info(count);
    const Array<T*> as({da.get(), da.get() + n * n}), bs({db.get(), db.get() + n}),
        is({inverse.get(), inverse.get() + n * n});
    int* const p = pivots ? dp.get() : nullptr;
    ASSERT_OK(Api<T>::getrf(this->handle, n, as.get(), n, p, info.get(), count));
    EXPECT_THAT(info.read(), testing::ElementsAre(0, 0));
    int host_info = -1;
    for (const auto op : kOps) {
      db.set(b);
      ASSERT_OK(
          Api<T>::getrs(this->handle, op, n, 1, as.get(), n, p, bs.get(), n, &host_info, count));
      EXPECT_EQ(host_info, 0);
      const auto x = db.read();
      for (int i = 0; i < count; ++i) {
        const Matrix ai =
            widened(std::vector<T>(start.begin() + i * n * n, start.begin() + (i + 1) * n * n));
        const Matrix back =
            times(turned(ai, op, n, n),
                  widened(std::vector<T>(x.begin() + i * n, x.begin() + (i + 1) * n)), n, 1, n);
        EXPECT_LE(
            distance(narrowed<T>(back), std::vector<T>(b.begin() + i * n, b.begin() + (i + 1) * n)),
            kTolerance<T> * 1000)
            << op;
      }
    }
    ASSERT_OK(Api<T>::getri(this->handle, n, as.get(), n, p, is.get(), n, info.get(), count));
    const auto inv = inverse.read();
    for (int i = 0; i < count; ++i) {
      const Matrix l =
          widened(std::vector<T>(start.begin() + i * n * n, start.begin() + (i + 1) * n * n));
      const Matrix r =
          widened(std::vector<T>(inv.begin() + i * n * n, inv.begin() + (i + 1) * n * n));
      Matrix unit(n * n);
      for (size_t d = 0; d < n; ++d) unit[d * (n + 1)] = 1;
      EXPECT_LE(distance(narrowed<T>(times(l, r, n, n, n)), narrowed<T>(unit)),
                kTolerance<T> * 1000);
    }
  }
  const Array<T> singular(n * n), out(n * n);
  const Array<const T*> as({singular.get()});
  const Array<T*> is({out.get()});
  const Array<int> info(1);
  ASSERT_OK(Api<T>::matinv(this->handle, n, as.get(), n, is.get(), n, info.get(), 1));
  EXPECT_THAT(info.read(), testing::ElementsAre(1));
}

}  // namespace
