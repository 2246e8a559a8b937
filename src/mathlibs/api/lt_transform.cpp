// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLtMatrixTransform: C = alpha op(A) + beta op(B), between types and between storage by
// columns and by rows. Each element is computed in f64 and rounded once. See lt.h.
#include <vector>

#include "mathlibs/api/lt.h"
#include "mathlibs/core/log.h"
#include "mathlibs/core/lt_plan.h"
#include "mathlibs/core/memory.h"
#include "mathlibs/core/stream.h"

namespace heddle::mathlibs {
namespace {

/// One summand of the result.
struct Summand {
  Layout layout;
  const void* data = nullptr;
  int32_t op = CUBLAS_OP_N;
};

const char* member(const Layout& layout, const void* data, int64_t i) {
  return static_cast<const char*>(data) +
         i * layout.stride * size_of(static_cast<cudaDataType>(layout.type));
}

/// Adds `factor` times column `column` of op(A), matrix `i` of the batch.
void add(const Summand& summand, int64_t i, int64_t column, DoubleComplex factor,
         std::vector<DoubleComplex>& sums) {
  const Matrix matrix =
      operand(summand.layout, member(summand.layout, summand.data, i), summand.op);
  visit_type(matrix.type, [&]<class E>(E) {
    const E* const data = static_cast<const E*>(matrix.data) + column * matrix.column;
    for (size_t r = 0; r < sums.size(); ++r) {
      const DoubleComplex value(widen(data[static_cast<int64_t>(r) * matrix.row]));
      sums[r] += factor * (matrix.conjugated ? std::conj(value) : value);
    }
  });
}

void store(const Layout& layout, void* data, int64_t i, int64_t column,
           const std::vector<DoubleComplex>& sums) {
  const Matrix matrix = operand(layout, member(layout, data, i), CUBLAS_OP_N);
  visit_type(matrix.type, [&]<class E>(E) {
    E* const out = const_cast<E*>(static_cast<const E*>(matrix.data)) + column * matrix.column;
    for (size_t r = 0; r < sums.size(); ++r)
      out[static_cast<int64_t>(r) * matrix.row] = narrow<E>(sums[r]);
  });
}

bool is_complex_type(int32_t type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F ||
         type == CUDA_C_8I;
}

bool check_memory(const Layout& layout, const void* data) {
  const int64_t count = batch_elements(layout),
                size = size_of(static_cast<cudaDataType>(layout.type));
  int64_t bytes = 0;
  if (count >= 0 && !__builtin_mul_overflow(count, size, &bytes) && is_device_range(data, bytes))
    return true;
  log("a matrix does not lie in the device's memory");
  return false;
}

/// Whether op(A) has the shape of C, and elements of the same kind.
bool fits(const Summand& summand, const Layout& c) {
  const bool turns = summand.op != CUBLAS_OP_N;
  return (turns ? summand.layout.cols : summand.layout.rows) == c.rows &&
         (turns ? summand.layout.rows : summand.layout.cols) == c.cols &&
         summand.layout.batch == c.batch &&
         is_complex_type(summand.layout.type) == is_complex_type(c.type);
}

}  // namespace

cublasStatus_t matrix_transform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc,
                                const void* alpha, const void* a, cublasLtMatrixLayout_t adesc,
                                const void* beta, const void* b, cublasLtMatrixLayout_t bdesc,
                                void* c, cublasLtMatrixLayout_t cdesc, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const cublasStatus_t bad = use_context()) return bad;
  if (!desc || !cdesc || !alpha || !adesc || (bdesc && !beta)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto description = read<TransformDesc>(desc);
  const auto type = static_cast<cudaDataType>(description.scale);
  const auto result = read<Layout>(cdesc);
  if (!size_of(type) || (description.pointer_mode != CUBLASLT_POINTER_MODE_HOST &&
                         description.pointer_mode != CUBLASLT_POINTER_MODE_DEVICE))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool on_device = description.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
  if (on_device &&
      (!is_device_range(alpha, size_of(type)) || (bdesc && !is_device_range(beta, size_of(type)))))
    return CUBLAS_STATUS_MAPPING_ERROR;
  if (const cublasStatus_t bad = check_layout(result)) return bad;
  if (!check_memory(result, c)) return CUBLAS_STATUS_MAPPING_ERROR;

  // A matrix whose factor is 0 is not read, and B may be left out.
  const DoubleComplex p = on_device ? DoubleComplex(1) : read_factor(alpha, type);
  const DoubleComplex q = !bdesc      ? DoubleComplex()
                          : on_device ? DoubleComplex(1)
                                      : read_factor(beta, type);
  std::vector<Summand> summands;
  const auto take = [&](const void* data, cublasLtMatrixLayout_t layout,
                        int32_t op) -> cublasStatus_t {
    const Summand summand{read<Layout>(layout), data, op};
    if (const cublasStatus_t bad = check_layout(summand.layout)) return bad;
    if ((op != CUBLAS_OP_N && op != CUBLAS_OP_T && op != CUBLAS_OP_C) || !fits(summand, result))
      return CUBLAS_STATUS_INVALID_VALUE;
    if (!check_memory(summand.layout, data)) return CUBLAS_STATUS_MAPPING_ERROR;
    summands.push_back(summand);
    return CUBLAS_STATUS_SUCCESS;
  };
  std::vector<const void*> factors;
  std::vector<DoubleComplex> values;
  if (p != DoubleComplex()) {
    if (const cublasStatus_t bad = take(a, adesc, description.transa)) return bad;
    factors.push_back(alpha);
    values.push_back(p);
  }
  if (q != DoubleComplex()) {
    if (const cublasStatus_t bad = take(b, bdesc, description.transb)) return bad;
    factors.push_back(beta);
    values.push_back(q);
  }
  return enqueue(stream, [=] {
    for (int64_t i = 0; i < result.batch; ++i) {
      for (int64_t column = 0; column < static_cast<int64_t>(result.cols); ++column) {
        std::vector<DoubleComplex> sums(result.rows);
        for (size_t s = 0; s < summands.size(); ++s)
          add(summands[s], i, column, on_device ? read_factor(factors[s], type) : values[s], sums);
        store(result, c, i, column, sums);
      }
    }
  });
}

}  // namespace heddle::mathlibs
