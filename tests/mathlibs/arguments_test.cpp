// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles, modes, copies, and what wrong arguments return.
#include "blas.h"

namespace {

using Arguments = Blas;

TEST_F(Arguments, GemmRefusesWrongOnes) {
  const Array<float> a(16);
  const float one = 1;
  std::vector<float> host(16);
  float* const d = a.get();
  const auto wrong = static_cast<cublasOperation_t>(9);
  const struct {
    const char* what;
    cublasHandle_t handle;
    cublasOperation_t opa;
    int m, n, k;
    const float *alpha, *a;
    int lda;
    const float* b;
    int ldb;
    float* c;
    int ldc;
    cublasStatus_t expected;
  } cases[] = {
      {"right", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4, d, 4, CUBLAS_STATUS_SUCCESS},
      {"empty", handle, CUBLAS_OP_N, 0, 4, 4, nullptr, nullptr, 4, nullptr, 4, nullptr, 4,
       CUBLAS_STATUS_SUCCESS},
      {"no handle", nullptr, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4, d, 4,
       CUBLAS_STATUS_NOT_INITIALIZED},
      {"another handle", reinterpret_cast<cublasHandle_t>(host.data()), CUBLAS_OP_N, 4, 4, 4, &one,
       d, 4, d, 4, d, 4, CUBLAS_STATUS_NOT_INITIALIZED},
      {"operation", handle, wrong, 4, 4, 4, &one, d, 4, d, 4, d, 4, CUBLAS_STATUS_INVALID_VALUE},
      {"m", handle, CUBLAS_OP_N, -1, 4, 4, &one, d, 4, d, 4, d, 4, CUBLAS_STATUS_INVALID_VALUE},
      {"k", handle, CUBLAS_OP_N, 4, 4, -4, &one, d, 4, d, 4, d, 4, CUBLAS_STATUS_INVALID_VALUE},
      {"alpha", handle, CUBLAS_OP_N, 4, 4, 4, nullptr, d, 4, d, 4, d, 4,
       CUBLAS_STATUS_INVALID_VALUE},
      {"lda", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 3, d, 4, d, 4, CUBLAS_STATUS_INVALID_VALUE},
      {"ldb", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 3, d, 4, CUBLAS_STATUS_INVALID_VALUE},
      {"ldc", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4, d, 3, CUBLAS_STATUS_INVALID_VALUE},
      {"A null", handle, CUBLAS_OP_N, 4, 4, 4, &one, nullptr, 4, d, 4, d, 4,
       CUBLAS_STATUS_MAPPING_ERROR},
      {"B on the host", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, host.data(), 4, d, 4,
       CUBLAS_STATUS_MAPPING_ERROR},
      {"C on the host", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4, host.data(), 4,
       CUBLAS_STATUS_MAPPING_ERROR},
      {"C too small", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4, d + 1024, 4,
       CUBLAS_STATUS_MAPPING_ERROR},
      {"A too small", handle, CUBLAS_OP_N, 4, 4, 4, &one, d, 1 << 30, d, 4, d, 4,
       CUBLAS_STATUS_MAPPING_ERROR},
  };
  for (const auto& t : cases) {
    EXPECT_EQ(cublasSgemm_v2(t.handle, t.opa, CUBLAS_OP_N, t.m, t.n, t.k, t.alpha, t.a, t.lda, t.b,
                             t.ldb, &one, t.c, t.ldc),
              t.expected)
        << t.what;
  }
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(host, testing::Each(0));
}

TEST_F(Arguments, WrongPointersInABatchFailTheNextCall) {
  const Array<float> a(filled<float>(4, 1));
  std::vector<float> host(4, 7);
  const Array<const float*> as({a.get(), a.get()});
  const Array<float*> cs({a.get(), host.data()});
  const float one = 1, zero = 0;
  testing::internal::CaptureStderr();
  EXPECT_OK(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, as.get(), 2,
                               as.get(), 2, &zero, cs.get(), 2, 2));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr(
          "cublasSgemmBatched: a pointer of the batch does not lie in the device's memory"));
  EXPECT_THAT(host, testing::Each(7));
  EXPECT_EQ(cublasSscal_v2(handle, 4, &one, a.get(), 1), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_OK(cublasSscal_v2(handle, 4, &one, a.get(), 1));
}

TEST_F(Arguments, SizesBeyond31BitsAreRefused) {
  const Array<float> x(4);
  const float one = 1;
  EXPECT_EQ(cublasSaxpy_v2_64(handle, int64_t{1} << 32, &one, x.get(), 1, x.get(), 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasSgemv_v2_64(handle, CUBLAS_OP_N, int64_t{1} << 40, 1, &one, x.get(),
                              int64_t{1} << 40, x.get(), 1, &one, x.get(), 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(Arguments, Modes) {
  cublasPointerMode_t pointers{};
  cublasMath_t math{};
  cublasAtomicsMode_t atomics{};
  CUstream stream = nullptr;
  EXPECT_OK(cublasGetPointerMode_v2(handle, &pointers));
  EXPECT_EQ(pointers, CUBLAS_POINTER_MODE_HOST);
  EXPECT_OK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  EXPECT_OK(cublasGetMathMode(handle, &math));
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  EXPECT_OK(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
  EXPECT_OK(cublasGetAtomicsMode(handle, &atomics));
  EXPECT_EQ(atomics, CUBLAS_ATOMICS_ALLOWED);
  EXPECT_OK(cublasSetStream_v2(handle, CU_STREAM_PER_THREAD));
  EXPECT_OK(cublasGetStream_v2(handle, &stream));
  EXPECT_EQ(stream, CU_STREAM_PER_THREAD);
  EXPECT_EQ(cublasSetPointerMode_v2(handle, static_cast<cublasPointerMode_t>(2)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetMathMode(handle, static_cast<cublasMath_t>(1 << 20)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetMathMode(handle, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetMathMode(nullptr, &math), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Arguments, HandlesAreDestroyedOnce) {
  cublasHandle_t other = nullptr;
  EXPECT_OK(cublasCreate_v2(&other));
  EXPECT_OK(cublasDestroy_v2(other));
  EXPECT_EQ(cublasDestroy_v2(other), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasCreate_v2(nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Arguments, VersionsAndNames) {
  int version = 0, major = 0;
  EXPECT_OK(cublasGetVersion_v2(handle, &version));
  EXPECT_OK(cublasGetProperty(MAJOR_VERSION, &major));
  EXPECT_EQ(version, 130100);
  EXPECT_EQ(major, 13);
  EXPECT_EQ(cublasLtGetVersion(), 130100U);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_STREQ(cublasGetStatusString(static_cast<cublasStatus_t>(99)), "unknown status");
}

TEST_F(Arguments, CopiesOfVectorsAndMatrices) {
  const Array<float> d(filled<float>(12, -1));
  const std::vector<float> from = {1, 2, 3, 4, 5, 6};
  std::vector<float> to(4);
  EXPECT_OK(cublasSetVector(3, sizeof(float), from.data(), 2, d.get(), 3));  // 1 3 5
  EXPECT_THAT(d.read(), testing::ElementsAre(1, -1, -1, 3, -1, -1, 5, -1, -1, -1, -1, -1));
  EXPECT_OK(cublasGetVector(3, sizeof(float), d.get(), 3, to.data(), 1));
  EXPECT_THAT(to, testing::ElementsAre(1, 3, 5, 0));
  EXPECT_OK(cublasSetMatrix(2, 2, sizeof(float), from.data(), 3, d.get(), 4));  // 1 2 / 4 5
  EXPECT_OK(cublasGetMatrixAsync(2, 2, sizeof(float), d.get(), 4, to.data(), 2, nullptr));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_THAT(to, testing::ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(cublasSetVector(3, 0, from.data(), 1, d.get(), 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetMatrix(3, 2, 4, from.data(), 2, d.get(), 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetVector(3, 4, nullptr, 1, d.get(), 1), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Arguments, TheLogSaysWhy) {
  static std::string said;
  EXPECT_OK(cublasSetLoggerCallback([](const char* message) { said = message; }));
  const float one = 1;
  std::vector<float> host(4);
  EXPECT_EQ(cublasSscal_v2(handle, 4, &one, host.data(), 1), CUBLAS_STATUS_MAPPING_ERROR);
  EXPECT_OK(cublasSetLoggerCallback(nullptr));
  EXPECT_EQ(said, "heddle: cublasSscal_v2: x does not lie in the device's memory\n");
}

TEST_F(Arguments, FunctionsThatAreNotWrittenSaySo) {
  testing::internal::CaptureStderr();
  cublasXtHandle_t xt = nullptr;
  EXPECT_EQ(cublasXtCreate(&xt), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasXtCreate(&xt), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cublasXtCreate is not supported yet\n");
}

}  // namespace
