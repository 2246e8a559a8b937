// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one algorithm of cublasLt, and the log. See lt.h.
#include <array>
#include <cstddef>
#include <cstdio>

#include "mathlibs/api/lt.h"
#include "mathlibs/core/attributes.h"
#include "mathlibs/core/log.h"
#include "mathlibs/core/lt_plan.h"

namespace heddle::mathlibs {
namespace {

#define HEDDLE_FIELD(number, member) \
  Field { number, offsetof(Algorithm, member), sizeof(Algorithm::member) }
constexpr std::array kConfigFields = {
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_ID, id),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_TILE_ID, tile),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, split_k),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, reduction),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, swizzling),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, custom),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_STAGES_ID, stages),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, inner_shape),
    HEDDLE_FIELD(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, cluster_shape),
};
#undef HEDDLE_FIELD

cublasLtMatmulAlgo_t the_algorithm() {
  cublasLtMatmulAlgo_t algo;
  initialize(&algo, sizeof algo, Algorithm{.mark = kAlgorithmMark});
  return algo;
}

bool is_ours(const cublasLtMatmulAlgo_t* algo) {
  return algo && read<Algorithm>(algo).mark == kAlgorithmMark;
}

/// All bits of the epilogues that a product may have.
constexpr uint32_t kEpilogues = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU_AUX_BIAS |
                                CUBLASLT_EPILOGUE_GELU_AUX_BIAS | CUBLASLT_EPILOGUE_DRELU |
                                CUBLASLT_EPILOGUE_DGELU;
constexpr uint32_t kPointerModes = CUBLASLT_POINTER_MODE_MASK_HOST |
                                   CUBLASLT_POINTER_MODE_MASK_DEVICE |
                                   CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO |
                                   CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_HOST;

bool is_known(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c) {
  return computation_of(compute, a, b, c).has_value();
}

}  // namespace

cublasStatus_t matmul_algo_get_heuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                         cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc,
                                         cublasLtMatrixLayout_t cdesc, cublasLtMatrixLayout_t ddesc,
                                         cublasLtMatmulPreference_t, int requested,
                                         cublasLtMatmulHeuristicResult_t* results, int* found) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested < 1 || !results || !found) return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  const cublasStatus_t status =
      matmul_algo_check(handle, desc, adesc, bdesc, cdesc, ddesc, nullptr, results);
  if (!status) *found = 1;
  return status;
}

cublasStatus_t matmul_algo_get_ids(cublasLtHandle_t handle, cublasComputeType_t compute,
                                   cudaDataType, cudaDataType a, cudaDataType b, cudaDataType c,
                                   cudaDataType, int requested, int* ids, int* found) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested < 1 || !ids || !found) return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  if (!is_known(compute, a, b, c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  ids[0] = 0;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t matmul_algo_init(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType,
                                cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType,
                                int id, cublasLtMatmulAlgo_t* algo) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!algo || id != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (!is_known(compute, a, b, c)) return CUBLAS_STATUS_NOT_SUPPORTED;
  *algo = the_algorithm();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t matmul_algo_check(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                 cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc,
                                 cublasLtMatrixLayout_t cdesc, cublasLtMatrixLayout_t ddesc,
                                 const cublasLtMatmulAlgo_t* algo,
                                 cublasLtMatmulHeuristicResult_t* result) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!result || (algo && !is_ours(algo))) return CUBLAS_STATUS_INVALID_VALUE;
  MatmulPlan plan;
  const cublasStatus_t status = plan_matmul(desc, adesc, bdesc, cdesc, ddesc, plan);
  const cublasLtMatmulAlgo_t chosen =
      algo ? *algo : the_algorithm();  // `algo` may be a part of the result
  *result = {};
  result->algo = chosen;
  result->state = status;
  result->wavesCount = 1;
  return status;
}

cublasStatus_t matmul_algo_cap_get_attribute(const cublasLtMatmulAlgo_t* algo,
                                             cublasLtMatmulAlgoCapAttributes_t attribute,
                                             void* buffer, size_t size, size_t* written) {
  if (!is_ours(algo)) return CUBLAS_STATUS_INVALID_VALUE;
  uint32_t value = 0;
  switch (attribute) {
    case CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS: {
      const uint64_t flags = 0x01 | 0x06
                                        << 8;  // fused multiply-add; accumulators of 32 and 64 bits
      return give(&flags, sizeof flags, buffer, size, written);
    }
    case CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES:
      value = 1;
      break;
    case CUBLASLT_ALGO_CAP_POINTER_MODE_MASK:
      value = kPointerModes;
      break;
    case CUBLASLT_ALGO_CAP_EPILOGUE_MASK:
      value = kEpilogues;
      break;
    case CUBLASLT_ALGO_CAP_SPLITK_SUPPORT:
    case CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK:
    case CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT:
    case CUBLASLT_ALGO_CAP_UPLO_SUPPORT:
    case CUBLASLT_ALGO_CAP_TILE_IDS:    // one: undefined
    case CUBLASLT_ALGO_CAP_STAGES_IDS:  // one: undefined
    case CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX:
    case CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER:
    case CUBLASLT_ALGO_CAP_LD_NEGATIVE:
    case CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT:
    case CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT:
      break;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
  return give(&value, sizeof value, buffer, size, written);
}

cublasStatus_t matmul_algo_config_set_attribute(cublasLtMatmulAlgo_t* algo,
                                                cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                const void* buffer, size_t size) {
  if (!is_ours(algo) || attribute == CUBLASLT_ALGO_CONFIG_ID) return CUBLAS_STATUS_INVALID_VALUE;
  return set_field(algo, kConfigFields, attribute, buffer, size);
}

cublasStatus_t matmul_algo_config_get_attribute(const cublasLtMatmulAlgo_t* algo,
                                                cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                void* buffer, size_t size, size_t* written) {
  if (!is_ours(algo)) return CUBLAS_STATUS_INVALID_VALUE;
  return get_field(algo, kConfigFields, attribute, buffer, size, written);
}

cublasStatus_t logger_set_callback(cublasLtLoggerCallback_t callback) {
  set_lt_log_callback(callback);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t logger_set_file(FILE* file) {
  set_lt_log_file(file);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t logger_open_file(const char* name) {
  FILE* const file = name ? std::fopen(name, "a") : nullptr;
  if (!file) return CUBLAS_STATUS_INVALID_VALUE;
  set_lt_log_file(file);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t logger_set_level(int level) {
  if (level < 0 || level > 5) return CUBLAS_STATUS_INVALID_VALUE;
  set_lt_log_mask(level > 0 ? 1 : 0);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t logger_set_mask(int mask) {
  set_lt_log_mask(mask);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t logger_force_disable() {
  disable_lt_log();
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace heddle::mathlibs
