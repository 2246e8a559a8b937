// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles, their modes, the log, and copies of vectors and matrices between host and device.
#pragma once

#include "mathlibs/abi.h"
#include "mathlibs/api/version.h"

namespace heddle::mathlibs {

cublasStatus_t create(cublasHandle_t* handle);
cublasStatus_t destroy(cublasHandle_t handle);
cublasStatus_t get_version(cublasHandle_t handle, int* version);
/// The host's BLAS uses memory of its own.
cublasStatus_t set_workspace(cublasHandle_t handle, void* workspace, size_t bytes);
cublasStatus_t set_stream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t get_stream(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t get_pointer_mode(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t set_pointer_mode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t get_atomics_mode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t set_atomics_mode(cublasHandle_t handle, cublasAtomicsMode_t mode);
/// No mode makes a result less precise than the type of computation.
cublasStatus_t get_math_mode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t set_math_mode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t get_sm_count_target(cublasHandle_t handle, int* count);
cublasStatus_t set_sm_count_target(cublasHandle_t handle, int count);

cublasStatus_t logger_configure(int on, int to_stdout, int to_stderr, const char* file);
cublasStatus_t set_logger_callback(cublasLogCallback callback);
cublasStatus_t get_logger_callback(cublasLogCallback* callback);
void xerbla(const char* function, int parameter);

// Copies wait for the copied data, the asynchronous ones only if the memory of the host is not the
// driver's.
cublasStatus_t set_vector(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                          int64_t incy);
cublasStatus_t get_vector(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                          int64_t incy);
cublasStatus_t set_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda,
                          void* b, int64_t ldb);
cublasStatus_t get_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda,
                          void* b, int64_t ldb);
cublasStatus_t set_vector_async(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                                int64_t incy, cudaStream_t stream);
cublasStatus_t get_vector_async(int64_t n, int64_t size, const void* x, int64_t incx, void* y,
                                int64_t incy, cudaStream_t stream);
cublasStatus_t set_matrix_async(int64_t rows, int64_t cols, int64_t size, const void* a,
                                int64_t lda, void* b, int64_t ldb, cudaStream_t stream);
cublasStatus_t get_matrix_async(int64_t rows, int64_t cols, int64_t size, const void* a,
                                int64_t lda, void* b, int64_t ldb, cudaStream_t stream);

}  // namespace heddle::mathlibs
