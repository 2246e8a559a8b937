// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lt_plan.h.
#include "mathlibs/core/lt_plan.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>

#include "mathlibs/core/log.h"
#include "mathlibs/core/memory.h"

namespace heddle::mathlibs {
namespace {

cublasStatus_t refuse(cublasStatus_t status, const char* why) {
  log(why);
  return status;
}
cublasStatus_t invalid(const char* why) { return refuse(CUBLAS_STATUS_INVALID_VALUE, why); }
cublasStatus_t unsupported(const char* why) { return refuse(CUBLAS_STATUS_NOT_SUPPORTED, why); }

bool is_operation(int32_t op) {
  return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

bool is_f8(int32_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

/// f8 results have a C of another type, all others one of their own.
std::optional<Computation> computation(const MatmulPlan& p) {
  if (!is_f8(p.d.type) && p.c.type != p.d.type) return std::nullopt;
  auto found = computation_of(
      static_cast<cublasComputeType_t>(p.desc.compute), static_cast<cudaDataType>(p.a.type),
      static_cast<cudaDataType>(p.b.type), static_cast<cudaDataType>(p.c.type));
  if (is_f8(p.d.type) && (!is_f8(p.a.type) || !is_f8(p.b.type))) return std::nullopt;
  // Halves may be scaled in f32.
  if (found && found->scale != p.desc.scale) {
    if (found->scale != CUDA_R_16F || p.desc.scale != CUDA_R_32F) return std::nullopt;
    found->scale = CUDA_R_32F;
  }
  return found;
}

bool is_real(const Computation& computation) {
  return computation.accumulator != Accumulator::c32 && computation.accumulator != Accumulator::c64;
}

constexpr int kAux = 128;

cublasStatus_t check_epilogue(const MatmulPlan& p) {
  const MatmulDesc& desc = p.desc;
  constexpr uint32_t kKnown[] = {
      CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_RELU,          CUBLASLT_EPILOGUE_RELU_AUX,
      CUBLASLT_EPILOGUE_BIAS,      CUBLASLT_EPILOGUE_RELU_BIAS,     CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DRELU,     CUBLASLT_EPILOGUE_GELU,          CUBLASLT_EPILOGUE_GELU_AUX,
      CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU};
  if (std::ranges::find(kKnown, desc.epilogue) == std::end(kKnown))
    return unsupported("the epilogue is not supported");
  if (desc.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return CUBLAS_STATUS_SUCCESS;
  if (!is_real(p.computation) || p.d.type == CUDA_R_32I)
    return unsupported("this product has no epilogue");
  if (desc.epilogue & kAux) {
    const bool bits = desc.epilogue & (CUBLASLT_EPILOGUE_RELU | 8);
    if (desc.aux_ld < p.m || desc.aux_ld % (bits ? 128 : 8) != 0)
      return invalid("the leading dimension of the epilogue's matrix is too small or not aligned");
    if (desc.aux_scale || desc.aux_amax)
      return unsupported("the epilogue's matrix has no factor and no maximum");
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_modes(const MatmulPlan& p) {
  const MatmulDesc& desc = p.desc;
  switch (desc.pointer_mode) {
    case CUBLASLT_POINTER_MODE_HOST:
    case CUBLASLT_POINTER_MODE_DEVICE:
      break;
    case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO:
    case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
      if (p.computation.scale != CUDA_R_32F) return unsupported("vectors of factors are f32");
      break;
    case CUBLASLT_POINTER_MODE_DEVICE_VECTOR:
      return unsupported("a vector for beta is not supported");
    default:
      return invalid("there is no such pointer mode");
  }
  if (desc.a_scale_mode || desc.b_scale_mode || desc.c_scale_mode || desc.d_scale_mode ||
      desc.d_out_scale_mode || desc.d_out_scale || desc.emulation)
    return unsupported("factors of blocks and of rows, and emulation, are not supported");
  if ((desc.a_scale || desc.b_scale || desc.c_scale || desc.d_scale || desc.d_amax) &&
      p.computation.scale != CUDA_R_32F)
    return unsupported("factors of matrices are f32");
  if (desc.fill != CUBLAS_FILL_MODE_FULL) return unsupported("only whole matrices are supported");
  return desc.transc == CUBLAS_OP_N ? CUBLAS_STATUS_SUCCESS : unsupported("C cannot be transposed");
}

}  // namespace

cublasStatus_t check_layout(const Layout& layout) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
  if (layout.rows > kMost || layout.cols > kMost || layout.ld > static_cast<int64_t>(kMost))
    return unsupported("a size has more than 31 bits");
  if (layout.order != CUBLASLT_ORDER_COL && layout.order != CUBLASLT_ORDER_ROW)
    return unsupported("matrices are stored by columns or by rows");
  if (layout.plane_offset != 0 || layout.batch_mode != CUBLASLT_BATCH_MODE_STRIDED)
    return unsupported("planar complex matrices and batches of pointers are not supported");
  const auto least =
      static_cast<int64_t>(layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.cols);
  if (layout.ld < std::max<int64_t>(least, 1)) return invalid("a leading dimension is too small");
  if (layout.batch < 1 || layout.stride < 0)
    return invalid("a batch has no matrices or a negative stride");
  if (!size_of(static_cast<cudaDataType>(layout.type)))
    return unsupported("a type of elements is not supported");
  return CUBLAS_STATUS_SUCCESS;
}

int64_t elements(const Layout& layout) {
  const auto rows = static_cast<int64_t>(layout.rows), cols = static_cast<int64_t>(layout.cols);
  return layout.order == CUBLASLT_ORDER_COL ? extent(rows, cols, layout.ld)
                                            : extent(cols, rows, layout.ld);
}

int64_t batch_elements(const Layout& layout) {
  return extent(elements(layout), layout.batch, layout.stride);
}

Matrix operand(const Layout& layout, const void* data, int32_t op) {
  const auto type = static_cast<cudaDataType>(layout.type);
  Matrix matrix{data, type, 1, layout.ld, op == CUBLAS_OP_C};
  if ((layout.order == CUBLASLT_ORDER_ROW) != (op != CUBLAS_OP_N))
    std::swap(matrix.row, matrix.column);
  return matrix;
}

cublasStatus_t plan_matmul(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                           cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                           cublasLtMatrixLayout_t d, MatmulPlan& plan) {
  if (!desc || !a || !b || !c || !d) return invalid("a description is null");
  plan.desc = read<MatmulDesc>(desc);
  plan.a = read<Layout>(a);
  plan.b = read<Layout>(b);
  plan.c = read<Layout>(c);
  plan.d = read<Layout>(d);
  for (const Layout* layout : {&plan.a, &plan.b, &plan.c, &plan.d}) {
    if (const cublasStatus_t bad = check_layout(*layout)) return bad;
    if (layout->batch != plan.d.batch) return invalid("the batches differ in size");
  }
  if (!is_operation(plan.desc.transa) || !is_operation(plan.desc.transb))
    return invalid("there is no such operation");
  const bool turns_a = plan.desc.transa != CUBLAS_OP_N, turns_b = plan.desc.transb != CUBLAS_OP_N;
  plan.m = static_cast<int64_t>(plan.d.rows);
  plan.n = static_cast<int64_t>(plan.d.cols);
  plan.k = static_cast<int64_t>(turns_a ? plan.a.rows : plan.a.cols);
  const auto am = static_cast<int64_t>(turns_a ? plan.a.cols : plan.a.rows);
  const auto bk = static_cast<int64_t>(turns_b ? plan.b.cols : plan.b.rows);
  const auto bn = static_cast<int64_t>(turns_b ? plan.b.rows : plan.b.cols);
  if (am != plan.m || bk != plan.k || bn != plan.n || plan.c.rows != plan.d.rows ||
      plan.c.cols != plan.d.cols)
    return invalid("the shapes of the matrices do not fit each other");
  const auto found = computation(plan);
  if (!found) return unsupported("the combination of types is not supported");
  plan.computation = *found;
  const int32_t usual = is_f8(plan.d.type) ? plan.c.type : plan.d.type;
  plan.bias_type =
      static_cast<cudaDataType>(plan.desc.bias_type == kUnset ? usual : plan.desc.bias_type);
  plan.aux_type =
      static_cast<cudaDataType>(plan.desc.aux_type == kUnset ? usual : plan.desc.aux_type);
  if (!size_of(plan.bias_type) || !size_of(plan.aux_type))
    return unsupported("a type of elements is not supported");
  if (const cublasStatus_t bad = check_modes(plan)) return bad;
  return check_epilogue(plan);
}

}  // namespace heddle::mathlibs
