// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's BLAS (CBLAS) with one name for all four types of elements. Matrices are stored by
// columns, vectors have no gaps (core/strided.h). Sizes and leading dimensions have been checked.
#pragma once

#include <cblas.h>

#include "mathlibs/abi/cublas.h"
#include "mathlibs/core/blas_library.h"
#include "mathlibs/core/element.h"

namespace heddle::mathlibs::blas {

inline CBLAS_TRANSPOSE native(cublasOperation_t op) {
  return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}
inline CBLAS_UPLO native(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_UPPER ? CblasUpper : CblasLower;
}
inline CBLAS_SIDE native(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
inline CBLAS_DIAG native(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

// CBLAS takes real factors by value and complex ones by address.
inline float factor(const float& x) { return x; }
inline double factor(const double& x) { return x; }
inline const void* factor(const Complex& x) { return &x; }
inline const void* factor(const DoubleComplex& x) { return &x; }

using Op = cublasOperation_t;
using Fill = cublasFillMode_t;
using Side = cublasSideMode_t;
using Diag = cublasDiagType_t;
using Size = blasint;

/// The function of the BLAS with that name, found when it is first called.
#define HEDDLE_CBLAS(name)                                                                \
  [] {                                                                                    \
    static const auto function = reinterpret_cast<decltype(&name)>(blas_function(#name)); \
    return function;                                                                      \
  }()

// Functions that all four types have. NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define HEDDLE_BLAS(p, T)                                                                          \
  inline void rotg(T* a, T* b, Real<T>* c, T* s) { HEDDLE_CBLAS(cblas_##p##rotg)(a, b, c, s); }    \
  inline void gemv(Op op, Size m, Size n, T alpha, const T* a, Size lda, const T* x, T beta,       \
                   T* y) {                                                                         \
    HEDDLE_CBLAS(cblas_##p##gemv)(CblasColMajor, native(op), m, n, factor(alpha), a, lda, x, 1,    \
                                  factor(beta), y, 1);                                             \
  }                                                                                                \
  inline void gbmv(Op op, Size m, Size n, Size kl, Size ku, T alpha, const T* a, Size lda,         \
                   const T* x, T beta, T* y) {                                                     \
    HEDDLE_CBLAS(cblas_##p##gbmv)(CblasColMajor, native(op), m, n, kl, ku, factor(alpha), a, lda,  \
                                  x, 1, factor(beta), y, 1);                                       \
  }                                                                                                \
  inline void trmv(Fill fill, Op op, Diag diag, Size n, const T* a, Size lda, T* x) {              \
    HEDDLE_CBLAS(cblas_##p##trmv)(CblasColMajor, native(fill), native(op), native(diag), n, a,     \
                                  lda, x, 1);                                                      \
  }                                                                                                \
  inline void trsv(Fill fill, Op op, Diag diag, Size n, const T* a, Size lda, T* x) {              \
    HEDDLE_CBLAS(cblas_##p##trsv)(CblasColMajor, native(fill), native(op), native(diag), n, a,     \
                                  lda, x, 1);                                                      \
  }                                                                                                \
  inline void tbmv(Fill fill, Op op, Diag diag, Size n, Size k, const T* a, Size lda, T* x) {      \
    HEDDLE_CBLAS(cblas_##p##tbmv)(CblasColMajor, native(fill), native(op), native(diag), n, k, a,  \
                                  lda, x, 1);                                                      \
  }                                                                                                \
  inline void tbsv(Fill fill, Op op, Diag diag, Size n, Size k, const T* a, Size lda, T* x) {      \
    HEDDLE_CBLAS(cblas_##p##tbsv)(CblasColMajor, native(fill), native(op), native(diag), n, k, a,  \
                                  lda, x, 1);                                                      \
  }                                                                                                \
  inline void tpmv(Fill fill, Op op, Diag diag, Size n, const T* a, T* x) {                        \
    HEDDLE_CBLAS(cblas_##p##tpmv)(CblasColMajor, native(fill), native(op), native(diag), n, a, x,  \
                                  1);                                                              \
  }                                                                                                \
  inline void tpsv(Fill fill, Op op, Diag diag, Size n, const T* a, T* x) {                        \
    HEDDLE_CBLAS(cblas_##p##tpsv)(CblasColMajor, native(fill), native(op), native(diag), n, a, x,  \
                                  1);                                                              \
  }                                                                                                \
  inline void gemm(CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, Size m, Size n, Size k, T alpha,      \
                   const T* a, Size lda, const T* b, Size ldb, T beta, T* c, Size ldc) {           \
    HEDDLE_CBLAS(cblas_##p##gemm)(CblasColMajor, opa, opb, m, n, k, factor(alpha), a, lda, b, ldb, \
                                  factor(beta), c, ldc);                                           \
  }                                                                                                \
  inline void symm(Side side, Fill fill, Size m, Size n, T alpha, const T* a, Size lda,            \
                   const T* b, Size ldb, T beta, T* c, Size ldc) {                                 \
    HEDDLE_CBLAS(cblas_##p##symm)(CblasColMajor, native(side), native(fill), m, n, factor(alpha),  \
                                  a, lda, b, ldb, factor(beta), c, ldc);                           \
  }                                                                                                \
  inline void syrk(Fill fill, Op op, Size n, Size k, T alpha, const T* a, Size lda, T beta, T* c,  \
                   Size ldc) {                                                                     \
    HEDDLE_CBLAS(cblas_##p##syrk)(CblasColMajor, native(fill), native(op), n, k, factor(alpha), a, \
                                  lda, factor(beta), c, ldc);                                      \
  }                                                                                                \
  inline void syr2k(Fill fill, Op op, Size n, Size k, T alpha, const T* a, Size lda, const T* b,   \
                    Size ldb, T beta, T* c, Size ldc) {                                            \
    HEDDLE_CBLAS(cblas_##p##syr2k)(CblasColMajor, native(fill), native(op), n, k, factor(alpha),   \
                                   a, lda, b, ldb, factor(beta), c, ldc);                          \
  }                                                                                                \
  inline void trmm(Side side, Fill fill, Op op, Diag diag, Size m, Size n, T alpha, const T* a,    \
                   Size lda, T* b, Size ldb) {                                                     \
    HEDDLE_CBLAS(cblas_##p##trmm)(CblasColMajor, native(side), native(fill), native(op),           \
                                  native(diag), m, n, factor(alpha), a, lda, b, ldb);              \
  }                                                                                                \
  inline void trsm(Side side, Fill fill, Op op, Diag diag, Size m, Size n, T alpha, const T* a,    \
                   Size lda, T* b, Size ldb) {                                                     \
    HEDDLE_CBLAS(cblas_##p##trsm)(CblasColMajor, native(side), native(fill), native(op),           \
                                  native(diag), m, n, factor(alpha), a, lda, b, ldb);              \
  }
HEDDLE_BLAS(s, float)
HEDDLE_BLAS(d, double)
HEDDLE_BLAS(c, Complex)
HEDDLE_BLAS(z, DoubleComplex)
#undef HEDDLE_BLAS

// Functions of real elements.
#define HEDDLE_BLAS(p, T)                                                                          \
  inline T dot(Size n, const T* x, const T* y) {                                                   \
    return HEDDLE_CBLAS(cblas_##p##dot)(n, x, 1, y, 1);                                            \
  }                                                                                                \
  inline T nrm2(Size n, const T* x) { return HEDDLE_CBLAS(cblas_##p##nrm2)(n, x, 1); }             \
  inline T asum(Size n, const T* x) { return HEDDLE_CBLAS(cblas_##p##asum)(n, x, 1); }             \
  inline void ger(Size m, Size n, T alpha, const T* x, const T* y, T* a, Size lda) {               \
    HEDDLE_CBLAS(cblas_##p##ger)(CblasColMajor, m, n, alpha, x, 1, y, 1, a, lda);                  \
  }                                                                                                \
  inline void sbmv(Fill fill, Size n, Size k, T alpha, const T* a, Size lda, const T* x, T beta,   \
                   T* y) {                                                                         \
    HEDDLE_CBLAS(cblas_##p##sbmv)(CblasColMajor, native(fill), n, k, alpha, a, lda, x, 1, beta, y, \
                                  1);                                                              \
  }                                                                                                \
  inline void spmv(Fill fill, Size n, T alpha, const T* a, const T* x, T beta, T* y) {             \
    HEDDLE_CBLAS(cblas_##p##spmv)(CblasColMajor, native(fill), n, alpha, a, x, 1, beta, y, 1);     \
  }                                                                                                \
  inline void spr(Fill fill, Size n, T alpha, const T* x, T* a) {                                  \
    HEDDLE_CBLAS(cblas_##p##spr)(CblasColMajor, native(fill), n, alpha, x, 1, a);                  \
  }                                                                                                \
  inline void spr2(Fill fill, Size n, T alpha, const T* x, const T* y, T* a) {                     \
    HEDDLE_CBLAS(cblas_##p##spr2)(CblasColMajor, native(fill), n, alpha, x, 1, y, 1, a);           \
  }
HEDDLE_BLAS(s, float)
HEDDLE_BLAS(d, double)
#undef HEDDLE_BLAS

// Functions of complex elements; R is the type of a part.
#define HEDDLE_BLAS(p, r, T, R)                                                                    \
  inline T dotu(Size n, const T* x, const T* y) {                                                  \
    T result;                                                                                      \
    HEDDLE_CBLAS(cblas_##p##dotu_sub)(n, x, 1, y, 1, &result);                                     \
    return result;                                                                                 \
  }                                                                                                \
  inline T dotc(Size n, const T* x, const T* y) {                                                  \
    T result;                                                                                      \
    HEDDLE_CBLAS(cblas_##p##dotc_sub)(n, x, 1, y, 1, &result);                                     \
    return result;                                                                                 \
  }                                                                                                \
  inline R nrm2(Size n, const T* x) { return HEDDLE_CBLAS(cblas_##r##p##nrm2)(n, x, 1); }          \
  inline R asum(Size n, const T* x) { return HEDDLE_CBLAS(cblas_##r##p##asum)(n, x, 1); }          \
  inline void geru(Size m, Size n, T alpha, const T* x, const T* y, T* a, Size lda) {              \
    HEDDLE_CBLAS(cblas_##p##geru)(CblasColMajor, m, n, &alpha, x, 1, y, 1, a, lda);                \
  }                                                                                                \
  inline void gerc(Size m, Size n, T alpha, const T* x, const T* y, T* a, Size lda) {              \
    HEDDLE_CBLAS(cblas_##p##gerc)(CblasColMajor, m, n, &alpha, x, 1, y, 1, a, lda);                \
  }                                                                                                \
  inline void hemv(Fill fill, Size n, T alpha, const T* a, Size lda, const T* x, T beta, T* y) {   \
    HEDDLE_CBLAS(cblas_##p##hemv)(CblasColMajor, native(fill), n, &alpha, a, lda, x, 1, &beta, y,  \
                                  1);                                                              \
  }                                                                                                \
  inline void hbmv(Fill fill, Size n, Size k, T alpha, const T* a, Size lda, const T* x, T beta,   \
                   T* y) {                                                                         \
    HEDDLE_CBLAS(cblas_##p##hbmv)(CblasColMajor, native(fill), n, k, &alpha, a, lda, x, 1, &beta,  \
                                  y, 1);                                                           \
  }                                                                                                \
  inline void hpmv(Fill fill, Size n, T alpha, const T* a, const T* x, T beta, T* y) {             \
    HEDDLE_CBLAS(cblas_##p##hpmv)(CblasColMajor, native(fill), n, &alpha, a, x, 1, &beta, y, 1);   \
  }                                                                                                \
  inline void her(Fill fill, Size n, R alpha, const T* x, T* a, Size lda) {                        \
    HEDDLE_CBLAS(cblas_##p##her)(CblasColMajor, native(fill), n, alpha, x, 1, a, lda);             \
  }                                                                                                \
  inline void hpr(Fill fill, Size n, R alpha, const T* x, T* a) {                                  \
    HEDDLE_CBLAS(cblas_##p##hpr)(CblasColMajor, native(fill), n, alpha, x, 1, a);                  \
  }                                                                                                \
  inline void her2(Fill fill, Size n, T alpha, const T* x, const T* y, T* a, Size lda) {           \
    HEDDLE_CBLAS(cblas_##p##her2)(CblasColMajor, native(fill), n, &alpha, x, 1, y, 1, a, lda);     \
  }                                                                                                \
  inline void hpr2(Fill fill, Size n, T alpha, const T* x, const T* y, T* a) {                     \
    HEDDLE_CBLAS(cblas_##p##hpr2)(CblasColMajor, native(fill), n, &alpha, x, 1, y, 1, a);          \
  }                                                                                                \
  inline void hemm(Side side, Fill fill, Size m, Size n, T alpha, const T* a, Size lda,            \
                   const T* b, Size ldb, T beta, T* c, Size ldc) {                                 \
    HEDDLE_CBLAS(cblas_##p##hemm)(CblasColMajor, native(side), native(fill), m, n, &alpha, a, lda, \
                                  b, ldb, &beta, c, ldc);                                          \
  }                                                                                                \
  inline void herk(Fill fill, Op op, Size n, Size k, R alpha, const T* a, Size lda, R beta, T* c,  \
                   Size ldc) {                                                                     \
    HEDDLE_CBLAS(cblas_##p##herk)(CblasColMajor, native(fill), native(op), n, k, alpha, a, lda,    \
                                  beta, c, ldc);                                                   \
  }                                                                                                \
  inline void her2k(Fill fill, Op op, Size n, Size k, T alpha, const T* a, Size lda, const T* b,   \
                    Size ldb, R beta, T* c, Size ldc) {                                            \
    HEDDLE_CBLAS(cblas_##p##her2k)(CblasColMajor, native(fill), native(op), n, k, &alpha, a, lda,  \
                                   b, ldb, beta, c, ldc);                                          \
  }
HEDDLE_BLAS(c, s, Complex, float)
HEDDLE_BLAS(z, d, DoubleComplex, double)
#undef HEDDLE_BLAS
#undef HEDDLE_CBLAS
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace heddle::mathlibs::blas
