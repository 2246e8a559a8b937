// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of BLAS level 1 whose types are arguments. See level1.h.
#include "mathlibs/api/level1.h"

namespace heddle::mathlibs {
namespace {

/// Calls `body(T{})` for the types of vectors. The vector's elements are computed in their own
/// type, or in f32 where they have 16 bits.
template <class Body>
cublasStatus_t with_vectors(cublasHandle_t handle, cudaDataType type, cudaDataType computed,
                            Body body) {
  const bool narrow = type == CUDA_R_16F || type == CUDA_R_16BF;
  const bool known = narrow || type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F ||
                     type == CUDA_C_64F;
  Call call(handle);
  call.support(known && computed == (narrow ? CUDA_R_32F : type),
               "the combination of types is not supported");
  if (!call.ok()) return call.status();
  switch (type) {
    case CUDA_R_16F:
      return body(Half{});
    case CUDA_R_16BF:
      return body(BFloat16{});
    case CUDA_R_32F:
      return body(float{});
    case CUDA_R_64F:
      return body(double{});
    case CUDA_C_32F:
      return body(Complex{});
    default:
      return body(DoubleComplex{});
  }
}

cudaDataType usual_computation(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

/// `type` where both types are the same, else a type that no vector has.
cudaDataType common(cudaDataType type, cudaDataType other) {
  return type == other ? type : CUDA_C_4U;
}

template <class T, class Body>
cublasStatus_t with_factor(const void* factor, cudaDataType type, Body body) {
  if (type == type_of<T>) return body(static_cast<const T*>(factor));
  if (type == type_of<Computed<T>>) return body(static_cast<const Computed<T>*>(factor));
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

template <class Index>
cublasStatus_t iamax_of(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, Index* result) {
  return with_vectors(handle, type, usual_computation(type), [=]<class T>(T) {
    return iamax(handle, n, static_cast<const T*>(x), incx, result);
  });
}
template <class Index>
cublasStatus_t iamin_of(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, Index* result) {
  return with_vectors(handle, type, usual_computation(type), [=]<class T>(T) {
    return iamin(handle, n, static_cast<const T*>(x), incx, result);
  });
}

/// Results of the vectors' type: T, or its real type where T is complex.
template <class T>
using Norm = std::conditional_t<is_complex<T>, Real<T>, T>;

cublasStatus_t dot_of(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                      int64_t incx, const void* y, cudaDataType ytype, int64_t incy, void* result,
                      cudaDataType result_type, cudaDataType computed, bool conjugates) {
  const cudaDataType type = common(common(xtype, ytype), result_type);
  return with_vectors(handle, type, computed, [=]<class T>(T) {
    return dot_product(handle, n, static_cast<const T*>(x), incx, static_cast<const T*>(y), incy,
                       static_cast<T*>(result), conjugates);
  });
}

}  // namespace

cublasStatus_t iamax_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int* result) {
  return iamax_of(handle, n, x, type, incx, result);
}
cublasStatus_t iamax_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int64_t* result) {
  return iamax_of(handle, n, x, type, incx, result);
}
cublasStatus_t iamin_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int* result) {
  return iamin_of(handle, n, x, type, incx, result);
}
cublasStatus_t iamin_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                        int64_t incx, int64_t* result) {
  return iamin_of(handle, n, x, type, incx, result);
}

cublasStatus_t nrm2_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                       int64_t incx, void* result, cudaDataType result_type,
                       cudaDataType computed) {
  if (type == CUDA_C_32F && computed == CUDA_R_32F) computed = type;
  if (type == CUDA_C_64F && computed == CUDA_R_64F) computed = type;
  return with_vectors(handle, type, computed, [=]<class T>(T) {
    if (result_type != type_of<Norm<T>>) return CUBLAS_STATUS_NOT_SUPPORTED;
    return nrm2(handle, n, static_cast<const T*>(x), incx, static_cast<Norm<T>*>(result));
  });
}

cublasStatus_t asum_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType type,
                       int64_t incx, void* result, cudaDataType result_type,
                       cudaDataType computed) {
  if (type == CUDA_C_32F && computed == CUDA_R_32F) computed = type;
  if (type == CUDA_C_64F && computed == CUDA_R_64F) computed = type;
  return with_vectors(handle, type, computed, [=]<class T>(T) {
    if (result_type != type_of<Norm<T>>) return CUBLAS_STATUS_NOT_SUPPORTED;
    return asum(handle, n, static_cast<const T*>(x), incx, static_cast<Norm<T>*>(result));
  });
}

cublasStatus_t dot_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                      int64_t incx, const void* y, cudaDataType ytype, int64_t incy, void* result,
                      cudaDataType result_type, cudaDataType computed) {
  return dot_of(handle, n, x, xtype, incx, y, ytype, incy, result, result_type, computed, false);
}
cublasStatus_t dotc_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                       int64_t incx, const void* y, cudaDataType ytype, int64_t incy, void* result,
                       cudaDataType result_type, cudaDataType computed) {
  return dot_of(handle, n, x, xtype, incx, y, ytype, incy, result, result_type, computed, true);
}

cublasStatus_t scal_ex(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alpha_type,
                       void* x, cudaDataType type, int64_t incx, cudaDataType computed) {
  return with_vectors(handle, type, computed, [=]<class T>(T) {
    return with_factor<T>(alpha, alpha_type, [=]<class A>(const A* factor) {
      return scal_real(handle, n, factor, static_cast<T*>(x), incx);
    });
  });
}

cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void* alpha, cudaDataType alpha_type,
                       const void* x, cudaDataType xtype, int64_t incx, void* y, cudaDataType ytype,
                       int64_t incy, cudaDataType computed) {
  return with_vectors(handle, common(xtype, ytype), computed, [=]<class T>(T) {
    return with_factor<T>(alpha, alpha_type, [=]<class A>(const A* factor) {
      return axpy(handle, n, factor, static_cast<const T*>(x), incx, static_cast<T*>(y), incy);
    });
  });
}

cublasStatus_t copy_ex(cublasHandle_t handle, int64_t n, const void* x, cudaDataType xtype,
                       int64_t incx, void* y, cudaDataType ytype, int64_t incy) {
  const cudaDataType type = common(xtype, ytype);
  return with_vectors(handle, type, usual_computation(type), [=]<class T>(T) {
    return copy(handle, n, static_cast<const T*>(x), incx, static_cast<T*>(y), incy);
  });
}

cublasStatus_t swap_ex(cublasHandle_t handle, int64_t n, void* x, cudaDataType xtype, int64_t incx,
                       void* y, cudaDataType ytype, int64_t incy) {
  const cudaDataType type = common(xtype, ytype);
  return with_vectors(handle, type, usual_computation(type), [=]<class T>(T) {
    return swap(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy);
  });
}

cublasStatus_t rot_ex(cublasHandle_t handle, int64_t n, void* x, cudaDataType xtype, int64_t incx,
                      void* y, cudaDataType ytype, int64_t incy, const void* c, const void* s,
                      cudaDataType factor_type, cudaDataType computed) {
  return with_vectors(handle, common(xtype, ytype), computed, [=]<class T>(T) {
    const auto go = [=](const auto* cosine, const auto* sine) {
      return rot(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy, cosine, sine);
    };
    // Complex vectors may have real factors; the cosine is always real.
    if (factor_type == type_of<Norm<T>>)
      return go(static_cast<const Norm<T>*>(c), static_cast<const Norm<T>*>(s));
    if (factor_type == type_of<T>)
      return go(static_cast<const Norm<T>*>(c), static_cast<const T*>(s));
    return CUBLAS_STATUS_NOT_SUPPORTED;
  });
}

cublasStatus_t rotg_ex(cublasHandle_t handle, void* a, void* b, cudaDataType type, void* c, void* s,
                       cudaDataType factor_type, cudaDataType computed) {
  return with_vectors(handle, type, computed, [=]<class T>(T) {
    if constexpr (HasBlas<T>) {
      if (factor_type == type_of<T>) {
        return rotg(handle, static_cast<T*>(a), static_cast<T*>(b), static_cast<Real<T>*>(c),
                    static_cast<T*>(s));
      }
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
  });
}

}  // namespace heddle::mathlibs
