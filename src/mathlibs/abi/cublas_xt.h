// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the functions of libcublas that distribute a product over several devices.
// Part of mathlibs/abi.h; names and values are the published interface, checked against the toolkit
// by tests/mathlibs/abi_compare.py.
#pragma once

#include "mathlibs/abi/cublas.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CUBLASXT_PINNING_DISABLED = 0,
  CUBLASXT_PINNING_ENABLED = 1,
} cublasXtPinnedMemMode_t;

typedef enum {
  CUBLASXT_FLOAT = 0,
  CUBLASXT_DOUBLE = 1,
  CUBLASXT_COMPLEX = 2,
  CUBLASXT_DOUBLECOMPLEX = 3,
} cublasXtOpType_t;

typedef enum {
  CUBLASXT_GEMM = 0,
  CUBLASXT_SYRK = 1,
  CUBLASXT_HERK = 2,
  CUBLASXT_SYMM = 3,
  CUBLASXT_HEMM = 4,
  CUBLASXT_TRSM = 5,
  CUBLASXT_SYR2K = 6,
  CUBLASXT_HER2K = 7,
  CUBLASXT_SPMM = 8,
  CUBLASXT_SYRKX = 9,
  CUBLASXT_HERKX = 10,
  CUBLASXT_TRMM = 11,
  CUBLASXT_ROUTINE_MAX = 12,
} cublasXtBlasOp_t;

typedef struct cublasXtContext* cublasXtHandle_t;

#ifdef __cplusplus
}  // extern "C"
#endif
