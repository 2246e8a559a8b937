// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = epilogue(alpha op(A) op(B) + beta C) for all types of elements. Where all matrices have the
// accumulator's type the host's BLAS multiplies them in place. Otherwise blocks of A and B are
// converted to the accumulator's type (exactly), multiplied by the BLAS, and each element of the
// result is rounded once.
#pragma once

#include <cstdint>
#include <optional>

#include "mathlibs/abi.h"
#include "mathlibs/core/epilogue.h"

namespace heddle::mathlibs {

/// The type in which products are summed. Products of integers are exact in f64.
enum class Accumulator { f32, f64, c32, c64, integer };

/// One matrix of a product. `row` and `column` are the distances of neighbours in a column and in a
/// row, in elements.
struct Matrix {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  int64_t row = 1, column = 1;
  bool conjugated = false;

  bool operator==(const Matrix&) const = default;
};

/// op(A) of a matrix that is stored by columns.
Matrix operand(const void* data, cudaDataType type, int64_t ld, cublasOperation_t op);

struct Product {
  int64_t m = 0, n = 0, k = 0;
  Matrix a{}, b{};  ///< m x k and k x n; one of the two distances is 1
  Matrix c{}, d{};  ///< m x n
  Accumulator accumulator = Accumulator::f32;
  DoubleComplex alpha = 1, beta = 0;   ///< beta 0: C is not read
  std::optional<Epilogue> epilogue{};  ///< of real accumulators
};

void multiply(const Product& product);

/// The accumulator for these types; nothing when cuBLAS has no such product. `scale` is the type of
/// alpha and beta.
struct Computation {
  Accumulator accumulator;
  cudaDataType scale;
};
std::optional<Computation> computation_of(cublasComputeType_t compute, cudaDataType a,
                                          cudaDataType b, cudaDataType c);

/// A factor of that type, exactly; for scale types only.
DoubleComplex read_factor(const void* from, cudaDataType scale);

}  // namespace heddle::mathlibs
