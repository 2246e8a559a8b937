// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cublasLtMatmul does, found from the descriptions alone: the heuristic asks the same question
// as the product.
#pragma once

#include "mathlibs/core/lt_descriptions.h"
#include "mathlibs/core/product.h"

namespace heddle::mathlibs {

struct MatmulPlan {
  MatmulDesc desc;
  Layout a, b, c, d;
  int64_t m = 0, n = 0, k = 0;
  Computation computation;
  cudaDataType bias_type, aux_type;
};

/// CUBLAS_STATUS_INVALID_VALUE when the descriptions contradict each other,
/// CUBLAS_STATUS_NOT_SUPPORTED when Heddle has no such product; the log says why.
cublasStatus_t plan_matmul(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                           cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                           cublasLtMatrixLayout_t d, MatmulPlan& plan);

/// Whether matrices of this layout can be used: stored by columns or by rows.
cublasStatus_t check_layout(const Layout& layout);
/// Elements of one matrix, and of all matrices of the batch; negative when they exceed 64 bits.
int64_t elements(const Layout& layout);
int64_t batch_elements(const Layout& layout);
/// op(A) of a matrix of the layout at `data`.
Matrix operand(const Layout& layout, const void* data, int32_t op);

}  // namespace heddle::mathlibs
