// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of all types, alone and in batches.
#include "blas.h"

namespace {

/// alpha op(A) op(B) + beta C; where beta is 0 C is not read.
template <class In, class Out>
std::vector<Out> product(cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
                         Number alpha, const std::vector<In>& a, int lda, const std::vector<In>& b,
                         int ldb, Number beta, std::vector<Out> c, int ldc) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      Number sum = 0;
      for (int l = 0; l < k && alpha != 0.0; ++l)
        sum += element(a, lda, opa, i, l) * element(b, ldb, opb, l, j);
      Out& out = c[static_cast<size_t>(i + j * ldc)];
      out = make<Out>(alpha * sum + (beta != 0.0 ? beta * value(out) : 0.0));
    }
  }
  return c;
}

struct Shape {
  int m, n, k;
};
constexpr Shape kShapes[] = {{1, 1, 1}, {5, 7, 3}, {16, 1, 9}, {1, 17, 4}, {33, 31, 65}, {4, 3, 0}};

template <class T>
class Gemm : public BlasOf<T> {};
TYPED_TEST_SUITE(Gemm, Elements);

TYPED_TEST(Gemm, AllOperationsShapesAndFactors) {
  using T = TypeParam;
  const struct {
    Number alpha, beta;
  } factors[] = {{{2, 1}, {-0.5, 0.25}}, {1, 0}, {0, 1}, {0, 0}};
  for (const auto opa : kOps) {
    for (const auto opb : kOps) {
      for (const auto [m, n, k] : kShapes) {
        for (auto [p, q] : factors) {
          const T alpha = make<T>(p), beta = make<T>(q);
          p = value(alpha), q = value(beta);
          SCOPED_TRACE(testing::Message()
                       << opa << opb << ' ' << m << 'x' << n << 'x' << k << ' ' << p << q);
          const int arows = opa == CUBLAS_OP_N ? m : k, acols = opa == CUBLAS_OP_N ? k : m;
          const int brows = opb == CUBLAS_OP_N ? k : n, bcols = opb == CUBLAS_OP_N ? n : k;
          const int lda = arows + 3, ldb = brows + 1, ldc = m + 2;
          const auto a = numbers<T>(static_cast<size_t>(lda * acols), 1),
                     b = numbers<T>(static_cast<size_t>(ldb * bcols), 2);
          // Without beta, C may hold anything.
          const auto c = q == 0.0 ? filled<T>(static_cast<size_t>(ldc * n), {kNaN, kNaN})
                                  : numbers<T>(static_cast<size_t>(ldc * n), 3);
          const Array<T> da(a), db(b), dc(c);
          ASSERT_OK(Api<T>::gemm(this->handle, opa, opb, m, n, k, &alpha, da.get(), lda, db.get(),
                                 ldb, &beta, dc.get(), ldc));
          EXPECT_LE(distance(dc.read(), product(opa, opb, m, n, k, p, a, lda, b, ldb, q, c, ldc)),
                    kTolerance<T>);
        }
      }
    }
  }
}

TYPED_TEST(Gemm, FactorsOnTheDevice) {
  using T = TypeParam;
  const auto a = numbers<T>(12, 1), b = numbers<T>(20, 2), c = numbers<T>(15, 3);
  const Array<T> da(a), db(b), dc(c), factors({make<T>({2, 1}), make<T>(3)});
  ASSERT_OK(cublasSetPointerMode_v2(this->handle, CUBLAS_POINTER_MODE_DEVICE));
  ASSERT_OK(Api<T>::gemm_64(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 5, 4, factors.get(),
                            da.get(), 3, db.get(), 4, factors.get() + 1, dc.get(), 3));
  const Number alpha = value(make<T>({2, 1}));
  EXPECT_LE(
      distance(dc.read(), product(CUBLAS_OP_N, CUBLAS_OP_N, 3, 5, 4, alpha, a, 3, b, 4, 3, c, 3)),
      kTolerance<T>);
}

TYPED_TEST(Gemm, Batches) {
  using T = TypeParam;
  constexpr int m = 4, n = 3, k = 5, count = 6;
  const auto a = numbers<T>(m * k * count, 1), b = numbers<T>(k * n, 2),
             c = numbers<T>(m * n * count, 3);
  const Array<T> da(a), db(b), strided(c), by_pointer(c);
  std::vector<const T*> as, bs;
  std::vector<T*> cs;
  std::vector<T> expected;
  const T alpha = make<T>({1, 1}), beta = make<T>(2);
  for (size_t i = 0; i < count; ++i) {
    as.push_back(da.get() + i * m * k);
    bs.push_back(db.get());  // one B for all
    cs.push_back(by_pointer.get() + i * m * n);
    const std::vector<T> ai(a.begin() + static_cast<long>(i) * m * k,
                            a.begin() + static_cast<long>(i + 1) * m * k);
    const std::vector<T> ci(c.begin() + static_cast<long>(i) * m * n,
                            c.begin() + static_cast<long>(i + 1) * m * n);
    const auto out =
        product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, value(alpha), ai, m, b, k, 2, ci, m);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  ASSERT_OK(Api<T>::gemm_strided(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da.get(),
                                 m, m * k, db.get(), k, 0, &beta, strided.get(), m, m * n, count));
  EXPECT_LE(distance(strided.read(), expected), kTolerance<T>);
  const Array<const T*> das(as), dbs(bs);
  const Array<T*> dcs(cs);
  ASSERT_OK(Api<T>::gemm_batched(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, das.get(),
                                 m, dbs.get(), k, &beta, dcs.get(), m, count));
  EXPECT_LE(distance(by_pointer.read(), expected), kTolerance<T>);
}

// --- types that are arguments ---

template <class In, class Out, class Factor>
void check_types(cublasHandle_t handle, cudaDataType in, cudaDataType out,
                 cublasComputeType_t compute, Shape shape) {
  const auto [m, n, k] = shape;
  SCOPED_TRACE(testing::Message() << in << " -> " << out << ", compute type " << compute
                                  << ", k = " << k);
  for (const auto opa : kOps) {
    for (const auto opb : kOps) {
      const int arows = opa == CUBLAS_OP_N ? m : k, acols = opa == CUBLAS_OP_N ? k : m;
      const int brows = opb == CUBLAS_OP_N ? k : n, bcols = opb == CUBLAS_OP_N ? n : k;
      const auto a = numbers<In>(static_cast<size_t>(arows * acols), 1),
                 b = numbers<In>(static_cast<size_t>(brows * bcols), 2);
      const auto c = numbers<Out>(static_cast<size_t>(m * n), 3);
      const Array<In> da(a), db(b);
      const Array<Out> dc(c);
      const Factor alpha = make<Factor>(2), beta = make<Factor>(-1);
      ASSERT_OK(cublasGemmEx(handle, opa, opb, m, n, k, &alpha, da.get(), in, arows, db.get(), in,
                             brows, &beta, dc.get(), out, m, compute, CUBLAS_GEMM_DEFAULT));
      EXPECT_LE(distance(dc.read(), product(opa, opb, m, n, k, 2, a, arows, b, brows, -1, c, m)),
                kTolerance<Out>);
    }
  }
}

using GemmEx = Blas;
TEST_F(GemmEx, Types) {
  for (const Shape shape : {Shape{3, 4, 5}, Shape{5, 7, 1100}}) {
    check_types<F16, F16, F16>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, {3, 4, 5});
    check_types<F16, F16, float>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, shape);
    check_types<F16, float, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, shape);
    check_types<BF16, BF16, float>(handle, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, shape);
    check_types<BF16, float, float>(handle, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC,
                                    shape);
    check_types<float, float, float>(handle, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
                                     shape);
    check_types<double, double, double>(handle, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, shape);
    check_types<cuComplex, cuComplex, cuComplex>(handle, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F,
                                                 shape);
    check_types<int8_t, float, float>(handle, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, shape);
  }
}

TEST_F(GemmEx, IntegersAreExactAndWrapAround) {
  const struct {
    int8_t a, b;
    int k, alpha, beta, c, expected;
  } cases[] = {
      {127, 127, 4099, 1, 0, 7, 127 * 127 * 4099},
      {-128, -128, 131071, 1, 0, 0, 16384 * 131071},
      {-128, 127, 5, -3, 2, 100, 3 * 128 * 127 * 5 + 200},
      {1, 1, 1, 1, 1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()},
  };
  for (const auto& t : cases) {
    const auto count = static_cast<size_t>(t.k);
    const Array<int8_t> a(std::vector<int8_t>(count, t.a)), b(std::vector<int8_t>(count, t.b));
    const Array<int> c(std::vector<int>{t.c});
    ASSERT_OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, t.k, &t.alpha, a.get(),
                           CUDA_R_8I, 1, b.get(), CUDA_R_8I, t.k, &t.beta, c.get(), CUDA_R_32I, 1,
                           CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    EXPECT_THAT(c.read(), testing::ElementsAre(t.expected));
  }
}

// 4096 + 1 needs 13 bits: a sum in f16 would lose each 1.
TEST_F(GemmEx, HalvesAreSummedInF32AndRoundedOnce) {
  constexpr int k = 4097;
  std::vector<F16> a(k, make<F16>(1));
  a[0] = make<F16>(4096);
  const Array<F16> da(a), db(filled<F16>(k, 1)), dc(filled<F16>(1, kNaN));
  const float one = 1, zero = 0;
  ASSERT_OK(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, k, &one, da.get(), CUDA_R_16F, k,
                         db.get(), CUDA_R_16F, k, &zero, dc.get(), CUDA_R_16F, 1,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  EXPECT_EQ(value(dc.read()[0]), 8192.0);
}

TEST_F(GemmEx, BatchesOfTypes) {
  constexpr int n = 3, count = 2;
  const auto a = numbers<BF16>(n * n * count, 1), b = numbers<BF16>(n * n * count, 2);
  const Array<BF16> da(a), db(b);
  const Array<float> strided(filled<float>(n * n * count, kNaN)),
      by_pointer(filled<float>(n * n * count, kNaN));
  const Array<const void*> as({da.get(), da.get() + 9}), bs({db.get(), db.get() + 9});
  const Array<void*> cs({by_pointer.get(), by_pointer.get() + 9});
  const float one = 1, zero = 0;
  ASSERT_OK(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, da.get(),
                                       CUDA_R_16BF, n, 9, db.get(), CUDA_R_16BF, n, 9, &zero,
                                       strided.get(), CUDA_R_32F, n, 9, count, CUBLAS_COMPUTE_32F,
                                       CUBLAS_GEMM_DEFAULT));
  ASSERT_OK(cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, as.get(),
                                CUDA_R_16BF, n, bs.get(), CUDA_R_16BF, n, &zero, cs.get(),
                                CUDA_R_32F, n, count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  const std::vector<BF16> a1(a.begin() + 9, a.end()), b1(b.begin() + 9, b.end());
  const auto second =
      product(CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, 1, a1, n, b1, n, 0, std::vector<float>(9), n);
  const auto all = strided.read();
  EXPECT_EQ(all, by_pointer.read());
  EXPECT_LE(distance(std::vector<float>(all.begin() + 9, all.end()), second), 1e-5);
}

TEST_F(GemmEx, HalfFunctions) {
  const auto a = numbers<F16>(6, 1), b = numbers<F16>(6, 2);
  const Array<F16> da(a), db(b), dc(filled<F16>(9, kNaN));
  const F16 one = make<F16>(1), zero = make<F16>(0);
  const auto half = [](const F16* p) { return reinterpret_cast<const __half*>(p); };
  ASSERT_OK(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 2, half(&one), half(da.get()), 3,
                        half(db.get()), 2, half(&zero), reinterpret_cast<__half*>(dc.get()), 3));
  EXPECT_LE(distance(dc.read(), product(CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 2, 1, a, 3, b, 2, 0,
                                        std::vector<F16>(9), 3)),
            1e-3);
}

TEST_F(GemmEx, Groups) {
  const auto a = numbers<float>(64, 1), b = numbers<float>(64, 2);
  const Array<float> da(a), db(b), dc(filled<float>(64, kNaN));
  // Two products of 2 x 3 x 4, one of 5 x 1 x 2.
  const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T}, same[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int m[] = {2, 5}, n[] = {3, 1}, k[] = {4, 2}, lda[] = {2, 2}, ldb[] = {4, 2},
            ldc[] = {2, 5}, sizes[] = {2, 1};
  const float alpha[] = {1, 2}, beta[] = {0, 0};
  const Array<const float*> as({da.get(), da.get() + 8, da.get()}),
      bs({db.get(), db.get() + 12, db.get()});
  const Array<float*> cs({dc.get(), dc.get() + 6, dc.get() + 12});
  ASSERT_OK(cublasSgemmGroupedBatched(handle, ops, same, m, n, k, alpha, as.get(), lda, bs.get(),
                                      ldb, beta, cs.get(), ldc, 2, sizes));
  const auto c = dc.read();
  const std::vector<float> a1(a.begin() + 8, a.end()), b1(b.begin() + 12, b.end()), empty(6);
  EXPECT_LE(distance({c.begin() + 6, c.begin() + 12},
                     product(CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 4, 1, a1, 2, b1, 4, 0, empty, 2)),
            1e-5);
  EXPECT_LE(
      distance({c.begin() + 12, c.begin() + 17}, product(CUBLAS_OP_T, CUBLAS_OP_N, 5, 1, 2, 2, a, 2,
                                                         b, 2, 0, std::vector<float>(5), 5)),
      1e-5);
}

// --- batches of products with vectors ---

TYPED_TEST(Gemm, BatchesOfVectors) {
  using T = TypeParam;
  constexpr int m = 4, n = 3, count = 3;
  const auto a = numbers<T>(m * n * count, 1), x = numbers<T>(m * count * 2, 2),
             y = numbers<T>(m * count * 2, 3);
  const Array<T> da(a), dx(x);
  const T alpha = make<T>({1, 2}), beta = make<T>(-1);
  for (const auto op : kOps) {
    for (const int inc : {1, 2, -2}) {
      SCOPED_TRACE(testing::Message() << op << ' ' << inc);
      const int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
      auto expected = y;
      for (int b = 0; b < count; ++b) {
        for (int i = 0; i < out; ++i) {
          Number sum = 0;
          for (int j = 0; j < in; ++j) {
            const std::vector<T> ab(a.begin() + b * m * n, a.begin() + (b + 1) * m * n);
            sum +=
                element(ab, m, op, i, j) *
                value(
                    x[static_cast<size_t>(b * m * 2 + (inc < 0 ? (in - 1 - j) * -inc : j * inc))]);
          }
          T& to =
              expected[static_cast<size_t>(b * m * 2 + (inc < 0 ? (out - 1 - i) * -inc : i * inc))];
          to = make<T>(value(alpha) * sum - value(to));
        }
      }
      const Array<T> strided(y), by_pointer(y);
      ASSERT_OK(Api<T>::gemv_strided(this->handle, op, m, n, &alpha, da.get(), m, m * n, dx.get(),
                                     inc, m * 2, &beta, strided.get(), inc, m * 2, count));
      EXPECT_LE(distance(strided.read(), expected), kTolerance<T>);
      std::vector<const T*> as, xs;
      std::vector<T*> ys;
      for (int b = 0; b < count; ++b) {
        as.push_back(da.get() + b * m * n);
        xs.push_back(dx.get() + b * m * 2);
        ys.push_back(by_pointer.get() + b * m * 2);
      }
      const Array<const T*> das(as), dxs(xs);
      const Array<T*> dys(ys);
      ASSERT_OK(Api<T>::gemv_batched(this->handle, op, m, n, &alpha, das.get(), m, dxs.get(), inc,
                                     &beta, dys.get(), inc, count));
      EXPECT_LE(distance(by_pointer.read(), expected), kTolerance<T>);
    }
  }
}

}  // namespace
