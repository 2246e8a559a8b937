// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making, changing and reading the descriptions of cublasLt, and its handle. See lt.h.
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "mathlibs/api/lt.h"
#include "mathlibs/core/attributes.h"
#include "mathlibs/core/lt_descriptions.h"
#include "mathlibs/core/stream.h"
#include "mathlibs/core/version.h"

struct cublasLtContext {};

namespace heddle::mathlibs {
namespace {

#define HEDDLE_FIELD(number, type, member) \
  Field { number, offsetof(type, member), sizeof(type::member) }

constexpr std::array kLayoutFields = {
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, cols),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_LD, Layout, ld),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, stride),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, Layout, plane_offset),
    HEDDLE_FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, Layout, batch_mode),
};

constexpr std::array kMatmulFields = {
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, MatmulDesc, compute),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, MatmulDesc, scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, MatmulDesc, pointer_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_TRANSA, MatmulDesc, transa),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_TRANSB, MatmulDesc, transb),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_TRANSC, MatmulDesc, transc),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, MatmulDesc, fill),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, MatmulDesc, epilogue),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, MatmulDesc, bias),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, MatmulDesc, bias_stride),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, MatmulDesc, aux),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, MatmulDesc, aux_ld),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, MatmulDesc, aux_stride),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, MatmulDesc, alpha_stride),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, MatmulDesc, sm_count),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, MatmulDesc, a_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, MatmulDesc, b_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, MatmulDesc, c_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, MatmulDesc, d_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, MatmulDesc, d_amax),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, MatmulDesc, aux_type),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, MatmulDesc, aux_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, MatmulDesc, aux_amax),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_FAST_ACCUM, MatmulDesc, fast_accumulation),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, MatmulDesc, bias_type),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, MatmulDesc, a_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, MatmulDesc, b_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, MatmulDesc, c_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, MatmulDesc, d_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, MatmulDesc, aux_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, MatmulDesc, d_out_scale),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, MatmulDesc, d_out_scale_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, MatmulDesc, emulation),
};

constexpr std::array kTransformFields = {
    HEDDLE_FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, TransformDesc, scale),
    HEDDLE_FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, TransformDesc, pointer_mode),
    HEDDLE_FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, TransformDesc, transa),
    HEDDLE_FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, TransformDesc, transb),
};

constexpr std::array kPreferenceFields = {
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_SEARCH_MODE, Preference, search_mode),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Preference, max_workspace),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, Preference, reduction_mask),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Preference, align_a),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Preference, align_b),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Preference, align_c),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Preference, align_d),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, Preference, max_waves),
    HEDDLE_FIELD(CUBLASLT_MATMUL_PREF_IMPL_MASK, Preference, implementation_mask),
};
#undef HEDDLE_FIELD

Layout new_layout(cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld) {
  return {type, CUBLASLT_ORDER_COL, rows, cols, ld, 1, CUBLASLT_BATCH_MODE_STRIDED, 0, 0};
}

MatmulDesc new_matmul(cublasComputeType_t compute, cudaDataType scale) {
  MatmulDesc desc{};
  desc.compute = compute;
  desc.scale = scale;
  desc.fill = CUBLAS_FILL_MODE_FULL;
  desc.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  desc.aux_type = desc.bias_type = kUnset;
  return desc;
}

Preference new_preference() {
  Preference preference{};
  preference.implementation_mask = ~uint64_t{0};
  preference.reduction_mask = CUBLASLT_REDUCTION_SCHEME_MASK;
  preference.align_a = preference.align_b = preference.align_c = preference.align_d = 256;
  return preference;
}

std::atomic<size_t> cache_capacity{8192};

}  // namespace

cublasStatus_t create(cublasLtHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t bad = use_context()) return bad;
  *handle = new cublasLtContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(cublasLtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

size_t get_version() { return static_cast<size_t>(kVersion.number()); }

cublasStatus_t heuristics_cache_get_capacity(size_t* capacity) {
  if (!capacity) return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = cache_capacity;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t heuristics_cache_set_capacity(size_t capacity) {
  cache_capacity = capacity;
  return CUBLAS_STATUS_SUCCESS;
}

// The four kinds of descriptions have the same functions.
#define HEDDLE_DESCRIPTION(prefix, Handle, Attribute, fields)                                  \
  cublasStatus_t prefix##_destroy(Handle description) {                                        \
    delete description;                                                                        \
    return CUBLAS_STATUS_SUCCESS;                                                              \
  }                                                                                            \
  cublasStatus_t prefix##_set_attribute(Handle description, Attribute attribute,               \
                                        const void* buffer, size_t size) {                     \
    return set_field(description, fields, attribute, buffer, size);                            \
  }                                                                                            \
  cublasStatus_t prefix##_get_attribute(Handle description, Attribute attribute, void* buffer, \
                                        size_t size, size_t* written) {                        \
    return get_field(description, fields, attribute, buffer, size, written);                   \
  }
HEDDLE_DESCRIPTION(matrix_layout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
                   kLayoutFields)
HEDDLE_DESCRIPTION(matmul_desc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, kMatmulFields)
HEDDLE_DESCRIPTION(matrix_transform_desc, cublasLtMatrixTransformDesc_t,
                   cublasLtMatrixTransformDescAttributes_t, kTransformFields)
HEDDLE_DESCRIPTION(matmul_preference, cublasLtMatmulPreference_t,
                   cublasLtMatmulPreferenceAttributes_t, kPreferenceFields)
#undef HEDDLE_DESCRIPTION

cublasStatus_t matrix_layout_init_internal(cublasLtMatrixLayout_t layout, size_t size,
                                           cudaDataType type, uint64_t rows, uint64_t cols,
                                           int64_t ld) {
  return initialize(layout, size, new_layout(type, rows, cols, ld));
}
cublasStatus_t matrix_layout_create(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                    uint64_t rows, uint64_t cols, int64_t ld) {
  return make(layout, new_layout(type, rows, cols, ld));
}
cublasStatus_t matmul_desc_init_internal(cublasLtMatmulDesc_t desc, size_t size,
                                         cublasComputeType_t compute, cudaDataType scale) {
  return initialize(desc, size, new_matmul(compute, scale));
}
cublasStatus_t matmul_desc_create(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                  cudaDataType scale) {
  return make(desc, new_matmul(compute, scale));
}
cublasStatus_t matrix_transform_desc_init_internal(cublasLtMatrixTransformDesc_t desc, size_t size,
                                                   cudaDataType scale) {
  return initialize(desc, size, TransformDesc{.scale = scale});
}
cublasStatus_t matrix_transform_desc_create(cublasLtMatrixTransformDesc_t* desc,
                                            cudaDataType scale) {
  return make(desc, TransformDesc{.scale = scale});
}
cublasStatus_t matmul_preference_init_internal(cublasLtMatmulPreference_t preference, size_t size) {
  return initialize(preference, size, new_preference());
}
cublasStatus_t matmul_preference_create(cublasLtMatmulPreference_t* preference) {
  return make(preference, new_preference());
}

}  // namespace heddle::mathlibs
