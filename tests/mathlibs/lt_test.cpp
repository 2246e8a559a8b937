// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLt: layouts, factors, epilogues and batches of products, transformations of matrices, and
// the one algorithm.
#include "blas.h"

namespace {

template <class T>
struct Of;
template <>
struct Of<float> {
  static constexpr cudaDataType type = CUDA_R_32F;
};
template <>
struct Of<F16> {
  static constexpr cudaDataType type = CUDA_R_16F;
};
template <>
struct Of<BF16> {
  static constexpr cudaDataType type = CUDA_R_16BF;
};

class Layout {
 public:
  Layout(cudaDataType type, int rows, int cols, int ld) {
    EXPECT_OK(cublasLtMatrixLayoutCreate(&layout_, type, static_cast<uint64_t>(rows),
                                         static_cast<uint64_t>(cols), ld));
  }
  ~Layout() { EXPECT_OK(cublasLtMatrixLayoutDestroy(layout_)); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t attribute, T value) {
    EXPECT_OK(cublasLtMatrixLayoutSetAttribute(layout_, attribute, &value, sizeof value));
  }
  operator cublasLtMatrixLayout_t() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

class Desc {
 public:
  explicit Desc(cublasComputeType_t compute = CUBLAS_COMPUTE_32F, cudaDataType scale = CUDA_R_32F) {
    EXPECT_OK(cublasLtMatmulDescCreate(&desc_, compute, scale));
  }
  ~Desc() { EXPECT_OK(cublasLtMatmulDescDestroy(desc_)); }
  Desc(const Desc&) = delete;
  Desc& operator=(const Desc&) = delete;
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, T value) {
    EXPECT_OK(cublasLtMatmulDescSetAttribute(desc_, attribute, &value, sizeof value));
  }
  operator cublasLtMatmulDesc_t() const { return desc_; }

 private:
  cublasLtMatmulDesc_t desc_ = nullptr;
};

class Lt : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
    ASSERT_OK(cublasLtCreate(&handle));
  }
  void TearDown() override {
    EXPECT_OK(cublasLtDestroy(handle));
    EXPECT_OK(cuCtxDestroy_v2(context));
  }
  CUcontext context = nullptr;
  cublasLtHandle_t handle = nullptr;
  const float one = 1, zero = 0;
};

constexpr int kM = 5, kN = 4, kK = 3;

/// The sum of products of an element of a 5 x 4 matrix; A and B are stored by columns.
template <class T>
Number sum(const std::vector<T>& a, const std::vector<T>& b, int i, int j) {
  Number out = 0;
  for (int l = 0; l < kK; ++l)
    out += value(a[static_cast<size_t>(i + l * kM)]) * value(b[static_cast<size_t>(l + j * kK)]);
  return out;
}

TEST_F(Lt, StorageByColumnsAndByRows) {
  const auto a = numbers<float>(kM * kK, 1), b = numbers<float>(kK * kN, 2),
             c = numbers<float>(kM * kN, 3);
  // Each matrix in both orders; the operation undoes a transposed shape.
  for (int mask = 0; mask < 64; ++mask) {
    const bool rows_a = mask & 1, rows_b = mask & 2, rows_c = mask & 4, rows_d = mask & 8,
               ta = mask & 16, tb = mask & 32;
    const auto stored = [](const std::vector<float>& x, int rows, int cols, bool turned,
                           bool by_rows) {
      std::vector<float> out(x.size());
      for (int j = 0; j < cols; ++j) {
        for (int i = 0; i < rows; ++i)
          out[static_cast<size_t>(turned != by_rows ? j + i * cols : i + j * rows)] =
              x[static_cast<size_t>(i + j * rows)];
      }
      return out;
    };
    const auto layout = [](Layout& l, bool by_rows) {
      if (by_rows) l.set(CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t{CUBLASLT_ORDER_ROW});
    };
    Layout la(CUDA_R_32F, ta ? kK : kM, ta ? kM : kK, ta != rows_a ? kK : kM),
        lb(CUDA_R_32F, tb ? kN : kK, tb ? kK : kN, tb != rows_b ? kN : kK);
    Layout lc(CUDA_R_32F, kM, kN, rows_c ? kN : kM), ld(CUDA_R_32F, kM, kN, rows_d ? kN : kM);
    layout(la, rows_a), layout(lb, rows_b), layout(lc, rows_c), layout(ld, rows_d);
    Desc desc;
    desc.set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{ta ? CUBLAS_OP_T : CUBLAS_OP_N});
    desc.set(CUBLASLT_MATMUL_DESC_TRANSB, int32_t{tb ? CUBLAS_OP_T : CUBLAS_OP_N});
    const Array<float> da(stored(a, kM, kK, ta, rows_a)), db(stored(b, kK, kN, tb, rows_b));
    const Array<float> dc(stored(c, kM, kN, false, rows_c)), dd(filled<float>(kM * kN, kNaN));
    const float alpha = 2, beta = -1;
    ASSERT_OK(cublasLtMatmul(handle, desc, &alpha, da.get(), la, db.get(), lb, &beta, dc.get(), lc,
                             dd.get(), ld, nullptr, nullptr, 0, nullptr));
    std::vector<float> expected;
    for (int j = 0; j < kN; ++j) {
      for (int i = 0; i < kM; ++i)
        expected.push_back(
            make<float>(2.0 * sum(a, b, i, j) - value(c[static_cast<size_t>(i + j * kM)])));
    }
    EXPECT_LE(distance(dd.read(), stored(expected, kM, kN, false, rows_d)), 1e-5) << mask;
  }
}

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

template <class T>
void check_epilogue(cublasLtHandle_t handle, cublasLtEpilogue_t epilogue) {
  SCOPED_TRACE(testing::Message() << "epilogue " << epilogue << ", type " << Of<T>::type);
  const auto a = numbers<T>(kM * kK, 1), b = numbers<T>(kK * kN, 2), bias = numbers<T>(kM, 3),
             stored = numbers<T>(8 * kN, 4);
  const Array<T> da(a), db(b), dd(filled<T>(kM * kN, kNaN)), dbias(bias), daux(stored);
  const Array<uint8_t> dbits(std::vector<uint8_t>(16 * kN, 0x55));
  const bool bits = epilogue & (CUBLASLT_EPILOGUE_RELU | 8), has_aux = epilogue & 128;
  Desc desc;
  desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{epilogue});
  desc.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(dbias.get()));
  if (has_aux) {
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
             bits ? static_cast<void*>(dbits.get()) : static_cast<void*>(daux.get()));
    desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{bits ? 128 : 8});
  }
  const Layout la(Of<T>::type, kM, kK, kM), lb(Of<T>::type, kK, kN, kK),
      ld(Of<T>::type, kM, kN, kM);
  const float one = 1, zero = 0;
  ASSERT_OK(cublasLtMatmul(handle, desc, &one, da.get(), la, db.get(), lb, &zero, dd.get(), ld,
                           dd.get(), ld, nullptr, nullptr, 0, nullptr));
  std::vector<T> expected;
  const auto aux = daux.read();
  const auto mask = dbits.read();
  for (int j = 0; j < kN; ++j) {
    for (int i = 0; i < kM; ++i) {
      double x = sum(a, b, i, j).real();
      const double input = value(stored[static_cast<size_t>(i + j * 8)]).real();
      if (epilogue & CUBLASLT_EPILOGUE_BIAS) x += value(bias[static_cast<size_t>(i)]).real();
      const bool bit = mask[static_cast<size_t>(16 * j + i / 8)] >> (i % 8) & 1;
      if (has_aux && (epilogue & CUBLASLT_EPILOGUE_RELU)) EXPECT_EQ(bit, x > 0) << i << ' ' << j;
      if (has_aux && (epilogue & CUBLASLT_EPILOGUE_GELU))
        EXPECT_NEAR(value(aux[static_cast<size_t>(i + j * 8)]).real(), x, kTolerance<T> * 3);
      if (epilogue & CUBLASLT_EPILOGUE_RELU) x = std::max(x, 0.0);
      if (epilogue & CUBLASLT_EPILOGUE_GELU) x = gelu(x);
      if (epilogue == CUBLASLT_EPILOGUE_DRELU) x = bit ? x : 0;
      if (epilogue == CUBLASLT_EPILOGUE_DGELU)
        x *= (gelu(input + 1e-4) - gelu(input - 1e-4)) / 2e-4;
      expected.push_back(make<T>(x));
    }
  }
  EXPECT_LE(distance(dd.read(), expected), std::max(kTolerance<T>, 1e-5));
}

TEST_F(Lt, Epilogues) {
  for (const auto epilogue :
       {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_AUX,
        CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_AUX,
        CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU}) {
    check_epilogue<float>(handle, epilogue);
    check_epilogue<F16>(handle, epilogue);
    check_epilogue<BF16>(handle, epilogue);
  }
}

TEST_F(Lt, BatchesWithABias) {
  constexpr int count = 3;
  const auto a = numbers<float>(kM * kK * count, 1), b = numbers<float>(kK * kN, 2),
             bias = numbers<float>(kM * count, 3);
  const Array<float> da(a), db(b), dd(filled<float>(kM * kN * count, kNaN)), dbias(bias);
  Layout la(CUDA_R_32F, kM, kK, kM), lb(CUDA_R_32F, kK, kN, kK), ld(CUDA_R_32F, kM, kN, kM);
  for (Layout* l : {&la, &lb, &ld}) l->set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t{count});
  la.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t{kM * kK});
  ld.set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t{kM * kN});
  Desc desc;
  desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_BIAS});
  desc.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(dbias.get()));
  desc.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, int64_t{kM});
  ASSERT_OK(cublasLtMatmul(handle, desc, &one, da.get(), la, db.get(), lb, &zero, dd.get(), ld,
                           dd.get(), ld, nullptr, nullptr, 0, nullptr));
  std::vector<float> expected;
  for (int p = 0; p < count; ++p) {
    const std::vector<float> ap(a.begin() + p * kM * kK, a.begin() + (p + 1) * kM * kK);
    for (int j = 0; j < kN; ++j) {
      for (int i = 0; i < kM; ++i)
        expected.push_back(
            make<float>(sum(ap, b, i, j) + value(bias[static_cast<size_t>(p * kM + i)])));
    }
  }
  EXPECT_LE(distance(dd.read(), expected), 1e-5);
}

TEST_F(Lt, FactorsOfF8) {
  // e4m3: 1.0 = 0x38, 2.0 = 0x40, 448 = 0x7e
  const Array<uint8_t> a(std::vector<uint8_t>(16, 0x38)), b(std::vector<uint8_t>(16, 0x40)),
      d8(std::vector<uint8_t>(1, 0));
  const Array<float> scales({0.5F, 4, 100, 0}), d(1);
  const Layout la(CUDA_R_8F_E4M3, 16, 1, 16), lb(CUDA_R_8F_E4M3, 16, 1, 16),
      ld(CUDA_R_32F, 1, 1, 1);
  const Layout l16(CUDA_R_16BF, 1, 1, 1), l8(CUDA_R_8F_E4M3, 1, 1, 1);
  Desc desc;
  desc.set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
  desc.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(scales.get()));
  desc.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(scales.get() + 1));
  ASSERT_OK(cublasLtMatmul(handle, desc, &one, a.get(), la, b.get(), lb, &zero, d.get(), ld,
                           d.get(), ld, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(d.read()[0], 64);
  desc.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(scales.get() + 2));
  desc.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, static_cast<void*>(scales.get() + 3));
  ASSERT_OK(cublasLtMatmul(handle, desc, &one, a.get(), la, b.get(), lb, &zero, nullptr, l16,
                           d8.get(), l8, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(d8.read()[0], 0x7e) << "6400 saturates";
  EXPECT_EQ(scales.read()[3], 64);
}

TEST_F(Lt, VectorsOfFactorsAndFactorsOnTheDevice) {
  const auto a = numbers<float>(kM * kK, 1), b = numbers<float>(kK * kN, 2);
  const Array<float> da(a), db(b), dd(kM * kN), rows({1, 2, 3, 4, 5}), factors({2, 0});
  const Layout la(CUDA_R_32F, kM, kK, kM), lb(CUDA_R_32F, kK, kN, kK), ld(CUDA_R_32F, kM, kN, kM);
  Desc desc;
  desc.set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
           int32_t{CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO});
  ASSERT_OK(cublasLtMatmul(handle, desc, rows.get(), da.get(), la, db.get(), lb, nullptr, nullptr,
                           ld, dd.get(), ld, nullptr, nullptr, 0, nullptr));
  EXPECT_NEAR(dd.read()[4], 5 * sum(a, b, 4, 0).real(), 1e-5);
  desc.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, int32_t{CUBLASLT_POINTER_MODE_DEVICE});
  ASSERT_OK(cublasLtMatmul(handle, desc, factors.get(), da.get(), la, db.get(), lb,
                           factors.get() + 1, dd.get(), ld, dd.get(), ld, nullptr, nullptr, 0,
                           nullptr));
  EXPECT_NEAR(dd.read()[4], 2 * sum(a, b, 4, 0).real(), 1e-5);
}

TEST_F(Lt, Integers) {
  const auto fill = [](size_t n, int8_t x) { return std::vector<int8_t>(n, x); };
  const Array<int8_t> a(fill(64, 100)), b(fill(64, 100)), d8(fill(1, 0));
  const Array<int> d(1);
  const Layout la(CUDA_R_8I, 64, 1, 64), ld(CUDA_R_32I, 1, 1, 1), l8(CUDA_R_8I, 1, 1, 1);
  const int i1 = 1, i0 = 0;
  Desc exact(CUBLAS_COMPUTE_32I, CUDA_R_32I), scaled(CUBLAS_COMPUTE_32I, CUDA_R_32F);
  exact.set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
  scaled.set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
  ASSERT_OK(cublasLtMatmul(handle, exact, &i1, a.get(), la, b.get(), la, &i0, d.get(), ld, d.get(),
                           ld, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(d.read()[0], 640000);
  const float thousandth = 1e-4F;
  ASSERT_OK(cublasLtMatmul(handle, scaled, &thousandth, a.get(), la, b.get(), la, &zero, d8.get(),
                           l8, d8.get(), l8, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(d8.read()[0], 64);
  ASSERT_OK(cublasLtMatmul(handle, scaled, &one, a.get(), la, b.get(), la, &zero, d8.get(), l8,
                           d8.get(), l8, nullptr, nullptr, 0, nullptr));
  EXPECT_EQ(d8.read()[0], 127);
}

TEST_F(Lt, Transforms) {
  const auto a = numbers<float>(6, 1);
  const Array<float> da(a);
  const Array<F16> dc(6);
  Layout la(CUDA_R_32F, 2, 3, 2), lc(CUDA_R_16F, 3, 2, 2);
  lc.set(CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t{CUBLASLT_ORDER_ROW});
  cublasLtMatrixTransformDesc_t desc = nullptr;
  ASSERT_OK(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F));
  const int32_t op = CUBLAS_OP_T;
  ASSERT_OK(cublasLtMatrixTransformDescSetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
                                                    &op, sizeof op));
  const float two = 2;
  ASSERT_OK(cublasLtMatrixTransform(handle, desc, &two, da.get(), la, &zero, nullptr, nullptr,
                                    dc.get(), lc, nullptr));
  const auto c = dc.read();  // 3 x 2 by rows is 2 x 3 by columns
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(value(c[i]), 2.0 * value(a[i]));
  EXPECT_OK(cublasLtMatrixTransformDescDestroy(desc));
}

TEST_F(Lt, TheAlgorithm) {
  const Layout la(CUDA_R_32F, kM, kK, kM), lb(CUDA_R_32F, kK, kN, kK), ld(CUDA_R_32F, kM, kN, kM),
      wrong(CUDA_R_32F, kK, kM, kK);
  const Desc desc;
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_OK(cublasLtMatmulPreferenceCreate(&preference));
  const uint64_t bytes = 1 << 20;
  ASSERT_OK(cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
  cublasLtMatmulHeuristicResult_t results[4] = {};
  int found = -1;
  ASSERT_OK(
      cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, ld, ld, preference, 4, results, &found));
  EXPECT_EQ(found, 1);
  EXPECT_EQ(results[0].state, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(results[0].workspaceSize, 0U);
  EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(handle, desc, wrong, lb, ld, ld, preference, 4, results,
                                           &found),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(found, 0);
  EXPECT_OK(cublasLtMatmulPreferenceDestroy(preference));

  cublasLtMatmulAlgo_t algo = {};
  int id = -1;
  size_t written = 0;
  ASSERT_OK(cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                   CUDA_R_32F, CUDA_R_32F, 0, &algo));
  ASSERT_OK(cublasLtMatmulAlgoConfigGetAttribute(&algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id,
                                                 &written));
  EXPECT_EQ(id, 0);
  EXPECT_EQ(written, sizeof id);
  const Array<float> a(kM * kK), b(kK * kN), d(kM * kN);
  EXPECT_OK(cublasLtMatmul(handle, desc, &one, a.get(), la, b.get(), lb, &zero, d.get(), ld,
                           d.get(), ld, &algo, nullptr, 0, nullptr));
  const cublasLtMatmulAlgo_t other = {};
  EXPECT_EQ(cublasLtMatmul(handle, desc, &one, a.get(), la, b.get(), lb, &zero, d.get(), ld,
                           d.get(), ld, &other, nullptr, 0, nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Lt, WrongArguments) {
  const Layout la(CUDA_R_32F, 2, 2, 2), narrow(CUDA_R_32F, 2, 2, 1), half(CUDA_R_16F, 2, 2, 2);
  Layout tiled(CUDA_R_32F, 2, 2, 64);
  tiled.set(CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t{CUBLASLT_ORDER_COL32});
  Desc desc, gradient;
  gradient.set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_DRELU_BGRAD});
  const Array<float> x(4);
  std::vector<float> host(4);
  const struct {
    const char* what;
    cublasLtMatmulDesc_t desc;
    const float *alpha, *a;
    cublasLtMatrixLayout_t la, ld;
    cublasStatus_t expected;
  } cases[] = {
      {"right", desc, &one, x.get(), la, la, CUBLAS_STATUS_SUCCESS},
      {"no description", nullptr, &one, x.get(), la, la, CUBLAS_STATUS_INVALID_VALUE},
      {"no layout", desc, &one, x.get(), nullptr, la, CUBLAS_STATUS_INVALID_VALUE},
      {"no factor", desc, nullptr, x.get(), la, la, CUBLAS_STATUS_INVALID_VALUE},
      {"leading dimension", desc, &one, x.get(), narrow, la, CUBLAS_STATUS_INVALID_VALUE},
      {"types", desc, &one, x.get(), half, la, CUBLAS_STATUS_NOT_SUPPORTED},
      {"tiles", desc, &one, x.get(), tiled, la, CUBLAS_STATUS_NOT_SUPPORTED},
      {"epilogue", gradient, &one, x.get(), la, la, CUBLAS_STATUS_NOT_SUPPORTED},
      {"host memory", desc, &one, host.data(), la, la, CUBLAS_STATUS_MAPPING_ERROR},
      {"null", desc, &one, nullptr, la, la, CUBLAS_STATUS_MAPPING_ERROR},
  };
  for (const auto& t : cases) {
    EXPECT_EQ(cublasLtMatmul(handle, t.desc, t.alpha, t.a, t.la, x.get(), la, &zero, x.get(), la,
                             x.get(), t.ld, nullptr, nullptr, 0, nullptr),
              t.expected)
        << t.what;
  }
  EXPECT_EQ(cublasLtMatmul(nullptr, desc, &one, x.get(), la, x.get(), la, &zero, x.get(), la,
                           x.get(), la, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_NOT_INITIALIZED);
  int32_t number = 0;
  size_t written = 0;
  EXPECT_EQ(
      cublasLtMatrixLayoutSetAttribute(la, CUBLASLT_MATRIX_LAYOUT_ROWS, &number, sizeof number),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_OK(
      cublasLtMatrixLayoutGetAttribute(la, CUBLASLT_MATRIX_LAYOUT_ROWS, nullptr, 0, &written));
  EXPECT_EQ(written, 8U);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, static_cast<cublasLtMatmulDescAttributes_t>(99),
                                           &number, 4),
            CUBLAS_STATUS_INVALID_VALUE);
}

// A handle of libcublas is a handle of cublasLt.
TEST_F(Lt, TakesHandlesOfCublas) {
  cublasHandle_t other = nullptr;
  ASSERT_OK(cublasCreate_v2(&other));
  const Layout l(CUDA_R_64F, 1, 1, 1);
  const Desc desc(CUBLAS_COMPUTE_64F, CUDA_R_64F);
  const Array<double> x(std::vector<double>{3}), d(1);
  const double factor = 2, none = 0;
  EXPECT_OK(cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(other), desc, &factor, x.get(), l,
                           x.get(), l, &none, d.get(), l, d.get(), l, nullptr, nullptr, 0,
                           nullptr));
  EXPECT_EQ(d.read()[0], 18);
  EXPECT_OK(cublasDestroy_v2(other));
}

}  // namespace
