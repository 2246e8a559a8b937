// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLtMatmul. See lt.h.
#include <string>

#include "mathlibs/api/lt.h"
#include "mathlibs/core/log.h"
#include "mathlibs/core/lt_plan.h"
#include "mathlibs/core/memory.h"
#include "mathlibs/core/stream.h"

namespace heddle::mathlibs {
namespace {

struct Arguments {
  const void *alpha, *a, *b, *beta, *c;
  void* d;
};

bool has_alpha_vector(const MatmulPlan& plan) {
  return plan.desc.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO ||
         plan.desc.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
}

bool check_memory(const void* address, int64_t count, int64_t size, const char* what) {
  int64_t bytes = 0;
  if (count >= 0 && !__builtin_mul_overflow(count, size, &bytes) && is_device_range(address, bytes))
    return true;
  log(std::string(what) + " does not lie in the device's memory");
  return false;
}

bool check_scale(const void* address, const char* what) {
  return !address || check_memory(address, 1, 4, what);
}

bool check_matrix(const Layout& layout, const void* address, const char* what) {
  return check_memory(address, batch_elements(layout),
                      size_of(static_cast<cudaDataType>(layout.type)), what);
}

bool check_epilogue_memory(const MatmulPlan& p) {
  const MatmulDesc& desc = p.desc;
  if ((desc.epilogue & CUBLASLT_EPILOGUE_BIAS) &&
      !check_memory(desc.bias, extent(p.m, p.d.batch, desc.bias_stride), size_of(p.bias_type),
                    "the bias"))
    return false;
  if (!(desc.epilogue & 128)) return true;
  const bool bits = desc.epilogue & (CUBLASLT_EPILOGUE_RELU | 8);
  const int64_t count = extent(extent(p.m, p.n, desc.aux_ld), p.d.batch, desc.aux_stride);
  return bits ? check_memory(desc.aux, count < 0 ? -1 : (count + 7) / 8, 1, "the epilogue's matrix")
              : check_memory(desc.aux, count, size_of(p.aux_type), "the epilogue's matrix");
}

bool check_all_memory(const MatmulPlan& p, const Arguments& arguments, bool reads_c) {
  const MatmulDesc& desc = p.desc;
  const bool vector = has_alpha_vector(p);
  return check_matrix(p.a, arguments.a, "A") && check_matrix(p.b, arguments.b, "B") &&
         (!reads_c || check_matrix(p.c, arguments.c, "C")) && check_matrix(p.d, arguments.d, "D") &&
         (!vector ||
          check_memory(arguments.alpha, extent(p.m, p.d.batch, desc.alpha_stride), 4, "alpha")) &&
         check_scale(desc.a_scale, "the factor of A") &&
         check_scale(desc.b_scale, "the factor of B") &&
         check_scale(desc.c_scale, "the factor of C") &&
         check_scale(desc.d_scale, "the factor of D") &&
         check_scale(desc.d_amax, "the maximum of D") && check_epilogue_memory(p);
}

/// The matrix `i` of a batch.
const void* member(const Layout& layout, const void* data, int64_t i) {
  return static_cast<const char*>(data) +
         i * layout.stride * size_of(static_cast<cudaDataType>(layout.type));
}

double scale(const void* factor) {
  return factor ? static_cast<double>(*static_cast<const float*>(factor)) : 1.0;
}

/// The epilogue for matrix `i`; nothing where there is none.
std::optional<Epilogue> epilogue(const MatmulPlan& p, const Arguments& arguments, int64_t i) {
  const MatmulDesc& desc = p.desc;
  const bool vector = has_alpha_vector(p);
  if (desc.epilogue == CUBLASLT_EPILOGUE_DEFAULT && !vector && !desc.d_scale && !desc.d_amax)
    return std::nullopt;
  Epilogue e;
  e.kind = static_cast<cublasLtEpilogue_t>(desc.epilogue);
  if (vector) e.row_alpha = static_cast<const float*>(arguments.alpha) + i * desc.alpha_stride;
  e.bias = static_cast<const char*>(desc.bias) + i * desc.bias_stride * size_of(p.bias_type);
  e.bias_type = p.bias_type;
  const bool bits = desc.epilogue & (CUBLASLT_EPILOGUE_RELU | 8);
  e.aux = static_cast<char*>(desc.aux) +
          (bits ? i * desc.aux_stride / 8 : i * desc.aux_stride * size_of(p.aux_type));
  e.aux_type = p.aux_type;
  e.aux_ld = desc.aux_ld;
  e.d_scale = scale(desc.d_scale);
  e.d_amax = static_cast<float*>(desc.d_amax);
  return e;
}

void execute(const MatmulPlan& p, const Arguments& arguments, DoubleComplex alpha,
             DoubleComplex beta) {
  const MatmulDesc& desc = p.desc;
  if (desc.d_amax) *static_cast<float*>(desc.d_amax) = 0;
  for (int64_t i = 0; i < p.d.batch; ++i) {
    Product product{.m = p.m, .n = p.n, .k = p.k, .accumulator = p.computation.accumulator};
    product.a = operand(p.a, member(p.a, arguments.a, i), desc.transa);
    product.b = operand(p.b, member(p.b, arguments.b, i), desc.transb);
    product.c = operand(p.c, member(p.c, arguments.c, i), CUBLAS_OP_N);
    product.d = operand(p.d, member(p.d, arguments.d, i), CUBLAS_OP_N);
    product.alpha = alpha * scale(desc.a_scale) * scale(desc.b_scale);
    product.beta = beta * scale(desc.c_scale);
    product.epilogue = epilogue(p, arguments, i);
    multiply(product);
  }
}

}  // namespace

cublasStatus_t matmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t adesc, const void* b,
                      cublasLtMatrixLayout_t bdesc, const void* beta, const void* c,
                      cublasLtMatrixLayout_t cdesc, void* d, cublasLtMatrixLayout_t ddesc,
                      const cublasLtMatmulAlgo_t* algo, void*, size_t, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const cublasStatus_t bad = use_context()) return bad;
  if (algo && read<Algorithm>(algo).mark != kAlgorithmMark) return CUBLAS_STATUS_INVALID_VALUE;
  MatmulPlan plan;
  if (const cublasStatus_t bad = plan_matmul(desc, adesc, bdesc, cdesc, ddesc, plan)) return bad;
  if (plan.m == 0 || plan.n == 0) return CUBLAS_STATUS_SUCCESS;

  const int32_t mode = plan.desc.pointer_mode;
  const cudaDataType type = plan.computation.scale;
  const bool needs_beta = mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
  if (!alpha || (needs_beta && !beta)) return CUBLAS_STATUS_INVALID_VALUE;
  const Arguments arguments{alpha, a, b, beta, c, d};
  if (mode == CUBLASLT_POINTER_MODE_DEVICE) {
    if (!check_memory(alpha, 1, size_of(type), "alpha") ||
        !check_memory(beta, 1, size_of(type), "beta") || !check_all_memory(plan, arguments, true))
      return CUBLAS_STATUS_MAPPING_ERROR;
    return enqueue(stream, [=] {
      execute(plan, arguments, read_factor(alpha, type), read_factor(beta, type));
    });
  }
  const DoubleComplex p = has_alpha_vector(plan) ? DoubleComplex(1) : read_factor(alpha, type);
  const DoubleComplex q = needs_beta ? read_factor(beta, type) : DoubleComplex();
  if (!check_all_memory(plan, arguments, q != DoubleComplex())) return CUBLAS_STATUS_MAPPING_ERROR;
  return enqueue(stream, [=] { execute(plan, arguments, p, q); });
}

}  // namespace heddle::mathlibs
