// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, alone and in batches, of all types (core/product.h), and batches of
// products with vectors.
#pragma once

#include "mathlibs/core/call.h"
#include "mathlibs/core/product.h"

namespace heddle::mathlibs {

/// A matrix argument: where it is, its type, its leading dimension and the distance to the batch's
/// next matrix. In a batch of pointers `data` is an array of them on the device.
struct MatrixArgument {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  int64_t ld = 0;
  int64_t stride = 0;
};

struct GemmArguments {
  cublasOperation_t transa, transb;
  int64_t m, n, k;
  const void* alpha;
  MatrixArgument a, b;
  const void* beta;
  MatrixArgument c;
  cublasComputeType_t compute;
  int64_t batch = 1;
  bool pointers = false;
};
cublasStatus_t gemm(cublasHandle_t handle, const GemmArguments& arguments);

/// y = alpha op(A) x + beta y for each matrix and vector of a batch. The `ld` of a vector is its
/// increment.
struct GemvArguments {
  cublasOperation_t trans;
  int64_t m, n;
  const void* alpha;
  MatrixArgument a, x;
  const void* beta;
  MatrixArgument y;
  cublasComputeType_t compute;
  int64_t batch = 1;
  bool pointers = false;
};
cublasStatus_t gemv_batch(cublasHandle_t handle, const GemvArguments& arguments);

/// In which type the functions without an argument for it compute.
template <class T>
inline constexpr cublasComputeType_t compute_of =
    std::is_same_v<Real<T>, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
template <>
inline constexpr cublasComputeType_t compute_of<Half> = CUBLAS_COMPUTE_16F;

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int64_t m, int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda,
                    const T* b, int64_t ldb, const T* beta, T* c, int64_t ldc) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, type_of<T>, lda},
                       {b, type_of<T>, ldb},
                       beta,
                       {c, type_of<T>, ldc},
                       compute_of<T>});
}

template <class T>
cublasStatus_t gemm_batched(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                            const T* alpha, const T* const* a, int64_t lda, const T* const* b,
                            int64_t ldb, const T* beta, T* const* c, int64_t ldc, int64_t batch) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, type_of<T>, lda},
                       {b, type_of<T>, ldb},
                       beta,
                       {c, type_of<T>, ldc},
                       compute_of<T>,
                       batch,
                       true});
}

template <class T>
cublasStatus_t gemm_strided_batched(cublasHandle_t handle, cublasOperation_t transa,
                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                    const T* alpha, const T* a, int64_t lda, int64_t stridea,
                                    const T* b, int64_t ldb, int64_t strideb, const T* beta, T* c,
                                    int64_t ldc, int64_t stridec, int64_t batch) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, type_of<T>, lda, stridea},
                       {b, type_of<T>, ldb, strideb},
                       beta,
                       {c, type_of<T>, ldc, stridec},
                       compute_of<T>,
                       batch});
}

/// Factors of type T, matrices of the given types.
template <class T>
cublasStatus_t gemm_ex(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                       int64_t m, int64_t n, int64_t k, const T* alpha, const void* a,
                       cudaDataType atype, int64_t lda, const void* b, cudaDataType btype,
                       int64_t ldb, const T* beta, void* c, cudaDataType ctype, int64_t ldc) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, atype, lda},
                       {b, btype, ldb},
                       beta,
                       {c, ctype, ldc},
                       compute_of<T>});
}

inline cublasStatus_t gemm_ex(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                              const void* alpha, const void* a, cudaDataType atype, int64_t lda,
                              const void* b, cudaDataType btype, int64_t ldb, const void* beta,
                              void* c, cudaDataType ctype, int64_t ldc, cublasComputeType_t compute,
                              cublasGemmAlgo_t) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, atype, lda},
                       {b, btype, ldb},
                       beta,
                       {c, ctype, ldc},
                       compute});
}

inline cublasStatus_t gemm_batched_ex(cublasHandle_t handle, cublasOperation_t transa,
                                      cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                      const void* alpha, const void* const* a, cudaDataType atype,
                                      int64_t lda, const void* const* b, cudaDataType btype,
                                      int64_t ldb, const void* beta, void* const* c,
                                      cudaDataType ctype, int64_t ldc, int64_t batch,
                                      cublasComputeType_t compute, cublasGemmAlgo_t) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {static_cast<const void*>(a), atype, lda},
                       {static_cast<const void*>(b), btype, ldb},
                       beta,
                       {static_cast<const void*>(c), ctype, ldc},
                       compute,
                       batch,
                       true});
}

inline cublasStatus_t gemm_strided_batched_ex(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
    int64_t k, const void* alpha, const void* a, cudaDataType atype, int64_t lda, int64_t stridea,
    const void* b, cudaDataType btype, int64_t ldb, int64_t strideb, const void* beta, void* c,
    cudaDataType ctype, int64_t ldc, int64_t stridec, int64_t batch, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  return gemm(handle, {transa,
                       transb,
                       m,
                       n,
                       k,
                       alpha,
                       {a, atype, lda, stridea},
                       {b, btype, ldb, strideb},
                       beta,
                       {c, ctype, ldc, stridec},
                       compute,
                       batch});
}

/// Batches of products whose shapes and factors are the elements of arrays on the host, one for
/// each group. `Size` is int or int64_t.
template <class Size, class A, class B, class C>
cublasStatus_t gemm_grouped_batched_ex(cublasHandle_t handle, const cublasOperation_t* transa,
                                       const cublasOperation_t* transb, const Size* m,
                                       const Size* n, const Size* k, const void* alpha,
                                       const A* const* a, cudaDataType atype, const Size* lda,
                                       const B* const* b, cudaDataType btype, const Size* ldb,
                                       const void* beta, C* const* c, cudaDataType ctype,
                                       const Size* ldc, int64_t groups, const Size* group_size,
                                       cublasComputeType_t compute) {
  Call call(handle);
  call.require(groups >= 0, "the number of groups is negative");
  if (groups > 0) {
    call.require(transa && transb && m && n && k && alpha && a && lda && b && ldb && beta && c &&
                     ldc && group_size,
                 "an array is null");
  }
  const auto computation = computation_of(compute, atype, btype, ctype);
  call.support(computation.has_value(), "the combination of types is not supported");
  if (call.ok())
    call.support(call.results_on_host(), "grouped products take their factors from the host");
  if (!call.ok()) return call.status();
  const int64_t factor = size_of(computation->scale);
  for (int64_t g = 0, first = 0; g < groups; first += group_size[g], ++g) {
    const cublasStatus_t bad = gemm(handle, {transa[g],
                                             transb[g],
                                             m[g],
                                             n[g],
                                             k[g],
                                             static_cast<const char*>(alpha) + g * factor,
                                             {a + first, atype, lda[g]},
                                             {b + first, btype, ldb[g]},
                                             static_cast<const char*>(beta) + g * factor,
                                             {c + first, ctype, ldc[g]},
                                             compute,
                                             group_size[g],
                                             true});
    if (bad) return bad;
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T, class Size>
cublasStatus_t gemm_grouped_batched(cublasHandle_t handle, const cublasOperation_t* transa,
                                    const cublasOperation_t* transb, const Size* m, const Size* n,
                                    const Size* k, const T* alpha, const T* const* a,
                                    const Size* lda, const T* const* b, const Size* ldb,
                                    const T* beta, T* const* c, const Size* ldc, int64_t groups,
                                    const Size* group_size) {
  return gemm_grouped_batched_ex(handle, transa, transb, m, n, k, alpha, a, type_of<T>, lda, b,
                                 type_of<T>, ldb, beta, c, type_of<T>, ldc, groups, group_size,
                                 compute_of<T>);
}

/// Factors of type S, the matrix and x of type T, y of type Y.
template <class S, class T, class Y>
cublasStatus_t gemv_batched(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                            const S* alpha, const T* const* a, int64_t lda, const T* const* x,
                            int64_t incx, const S* beta, Y* const* y, int64_t incy, int64_t batch) {
  return gemv_batch(handle, {trans,
                             m,
                             n,
                             alpha,
                             {a, type_of<T>, lda},
                             {x, type_of<T>, incx},
                             beta,
                             {y, type_of<Y>, incy},
                             compute_of<S>,
                             batch,
                             true});
}

template <class S, class T, class Y>
cublasStatus_t gemv_strided_batched(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
                                    int64_t n, const S* alpha, const T* a, int64_t lda,
                                    int64_t stridea, const T* x, int64_t incx, int64_t stridex,
                                    const S* beta, Y* y, int64_t incy, int64_t stridey,
                                    int64_t batch) {
  return gemv_batch(handle, {trans,
                             m,
                             n,
                             alpha,
                             {a, type_of<T>, lda, stridea},
                             {x, type_of<T>, incx, stridex},
                             beta,
                             {y, type_of<Y>, incy, stridey},
                             compute_of<S>,
                             batch});
}

}  // namespace heddle::mathlibs
