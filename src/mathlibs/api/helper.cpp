// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See helper.h. Copies are the driver's two-dimensional ones: a vector is a matrix of one row.
#include "mathlibs/api/helper.h"

#include <algorithm>
#include <string>

#include "driver/api.h"
#include "mathlibs/core/handle.h"
#include "mathlibs/core/log.h"
#include "mathlibs/core/stream.h"
#include "mathlibs/core/version.h"

namespace heddle::mathlibs {
namespace {

/// Writes a property of the handle to `*out`.
template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::* property, T* out) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!out) return CUBLAS_STATUS_INVALID_VALUE;
  *out = handle->*property;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::* property, T value, bool valid) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  handle->*property = value;
  return CUBLAS_STATUS_SUCCESS;
}

enum class To { device, host };

/// `rows` elements of `size` bytes in each of `cols` columns.
cublasStatus_t copy(To to, int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda,
                    void* b, int64_t ldb, const cudaStream_t* stream) {
  constexpr int64_t kMost = int64_t{1} << 40;  // keeps the products below within 64 bits
  if (rows < 0 || cols < 0 || size <= 0 || size > (1 << 20) || lda < std::max<int64_t>(1, rows) ||
      ldb < std::max<int64_t>(1, rows) || lda > kMost || ldb > kMost)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || cols == 0) return CUBLAS_STATUS_SUCCESS;
  if (!a || !b) return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t bad = use_context()) return bad;
  CUDA_MEMCPY2D params = {};
  params.srcMemoryType = to == To::device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  params.dstMemoryType = to == To::device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  params.srcHost = a;
  params.srcDevice = reinterpret_cast<CUdeviceptr>(a);
  params.dstHost = b;
  params.dstDevice = reinterpret_cast<CUdeviceptr>(b);
  params.srcPitch = static_cast<size_t>(lda * size);
  params.dstPitch = static_cast<size_t>(ldb * size);
  params.WidthInBytes = static_cast<size_t>(rows * size);
  params.Height = static_cast<size_t>(cols);
  const CUresult bad =
      stream ? cuMemcpy2DAsync_v2(&params, *stream) : cuMemcpy2DUnaligned_v2(&params);
  return bad ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t copy_vector(To to, int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                           int64_t incy, const cudaStream_t* stream) {
  if (incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copy(to, 1, n, size, x, incx, y, incy, stream);
}

}  // namespace

cublasStatus_t create(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t bad = use_context()) return bad;
  *handle = make_handle();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(cublasHandle_t handle) { return destroy_handle(handle); }

cublasStatus_t get_version(cublasHandle_t, int* version) {
  if (!version) return CUBLAS_STATUS_INVALID_VALUE;
  *version = kVersion.number();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_workspace(cublasHandle_t handle, void*, size_t) {
  return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t set_stream(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream, true);
}
cublasStatus_t get_stream(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
cublasStatus_t get_pointer_mode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t set_pointer_mode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set(handle, &cublasContext::pointer_mode, mode,
             mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE);
}
cublasStatus_t get_atomics_mode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t set_atomics_mode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set(handle, &cublasContext::atomics_mode, mode,
             mode == CUBLAS_ATOMICS_ALLOWED || mode == CUBLAS_ATOMICS_NOT_ALLOWED);
}
cublasStatus_t get_math_mode(cublasHandle_t handle, cublasMath_t* mode) {
  return get(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t set_math_mode(cublasHandle_t handle, cublasMath_t mode) {
  constexpr int kKnown = CUBLAS_TENSOR_OP_MATH | CUBLAS_PEDANTIC_MATH |
                         CUBLAS_FP32_EMULATED_BF16X9_MATH | CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH |
                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  return set(handle, &cublasContext::math_mode, mode, (mode & ~kKnown) == 0);
}
cublasStatus_t get_sm_count_target(cublasHandle_t handle, int* count) {
  return get(handle, &cublasContext::sm_count_target, count);
}
cublasStatus_t set_sm_count_target(cublasHandle_t handle, int count) {
  return set(handle, &cublasContext::sm_count_target, count, count >= 0);
}

cublasStatus_t logger_configure(int on, int to_stdout, int to_stderr, const char* file) {
  return configure_log(on, to_stdout, to_stderr, file) ? CUBLAS_STATUS_SUCCESS
                                                       : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t set_logger_callback(cublasLogCallback callback) {
  set_log_callback(callback);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get_logger_callback(cublasLogCallback* callback) {
  if (!callback) return CUBLAS_STATUS_INVALID_VALUE;
  *callback = log_callback();
  return CUBLAS_STATUS_SUCCESS;
}
void xerbla(const char* function, int parameter) {
  log_failure(function ? function : "?",
              "parameter " + std::to_string(parameter) + " has an illegal value");
}

cublasStatus_t set_vector(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                          int64_t incy) {
  return copy_vector(To::device, n, size, x, incx, y, incy, nullptr);
}
cublasStatus_t get_vector(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                          int64_t incy) {
  return copy_vector(To::host, n, size, x, incx, y, incy, nullptr);
}
cublasStatus_t set_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda,
                          void* b, int64_t ldb) {
  return copy(To::device, rows, cols, size, a, lda, b, ldb, nullptr);
}
cublasStatus_t get_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda,
                          void* b, int64_t ldb) {
  return copy(To::host, rows, cols, size, a, lda, b, ldb, nullptr);
}
cublasStatus_t set_vector_async(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                                int64_t incy, cudaStream_t stream) {
  return copy_vector(To::device, n, size, x, incx, y, incy, &stream);
}
cublasStatus_t get_vector_async(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                                int64_t incy, cudaStream_t stream) {
  return copy_vector(To::host, n, size, x, incx, y, incy, &stream);
}
cublasStatus_t set_matrix_async(int64_t rows, int64_t cols, int64_t size, const void* a,
                                int64_t lda, void* b, int64_t ldb, cudaStream_t stream) {
  return copy(To::device, rows, cols, size, a, lda, b, ldb, &stream);
}
cublasStatus_t get_matrix_async(int64_t rows, int64_t cols, int64_t size, const void* a,
                                int64_t lda, void* b, int64_t ldb, cudaStream_t stream) {
  return copy(To::host, rows, cols, size, a, lda, b, ldb, &stream);
}

}  // namespace heddle::mathlibs
