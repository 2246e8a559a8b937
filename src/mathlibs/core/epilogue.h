// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cublasLtMatmul does to the elements of a product before they are rounded: factors, a bias,
// an activation function or its derivative.
#pragma once

#include <cstdint>
#include <span>

#include "mathlibs/abi.h"
#include "mathlibs/core/element.h"

namespace heddle::mathlibs {

struct Epilogue {
  cublasLtEpilogue_t kind = CUBLASLT_EPILOGUE_DEFAULT;
  const float* row_alpha = nullptr;  ///< a factor for each row, in place of alpha
  const void* bias = nullptr;        ///< a summand for each row
  cudaDataType bias_type = CUDA_R_32F;
  void* aux = nullptr;  ///< what the activation function was applied to: bits of its sign (RELU),
                        ///< or values (GELU)
  cudaDataType aux_type = CUDA_R_32F;
  int64_t aux_ld = 0;       ///< in elements, or bits
  double d_scale = 1;       ///< the factor of the result
  float* d_amax = nullptr;  ///< receives the largest magnitude before that factor

  bool has(int bit) const { return (kind & bit) != 0; }
  /// Elements of column `column` from row `row` on, which were multiplied by alpha and had beta C
  /// added.
  template <class T>
  void apply(int64_t row, int64_t column, std::span<T> values) const;
};

}  // namespace heddle::mathlibs
