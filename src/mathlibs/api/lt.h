// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLt: products whose matrices, factors and epilogue are described by attributes. Descriptions
// are plain data in the opaque structures, which a program may also allocate itself. A handle of
// libcublas is a handle here, too, so a handle is only compared with null.
#pragma once

#include "mathlibs/abi.h"
#include "mathlibs/api/version.h"

namespace heddle::mathlibs {

cublasStatus_t create(cublasLtHandle_t* handle);
cublasStatus_t destroy(cublasLtHandle_t handle);
size_t get_version();
/// Nothing is searched, so there is no cache; its capacity is what the program has set.
cublasStatus_t heuristics_cache_get_capacity(size_t* capacity);
cublasStatus_t heuristics_cache_set_capacity(size_t capacity);

cublasStatus_t matmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t adesc, const void* b,
                      cublasLtMatrixLayout_t bdesc, const void* beta, const void* c,
                      cublasLtMatrixLayout_t cdesc, void* d, cublasLtMatrixLayout_t ddesc,
                      const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspace_size,
                      cudaStream_t stream);
cublasStatus_t matrix_transform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc,
                                const void* alpha, const void* a, cublasLtMatrixLayout_t adesc,
                                const void* beta, const void* b, cublasLtMatrixLayout_t bdesc,
                                void* c, cublasLtMatrixLayout_t cdesc, cudaStream_t stream);

cublasStatus_t matrix_layout_init_internal(cublasLtMatrixLayout_t layout, size_t size,
                                           cudaDataType type, uint64_t rows, uint64_t cols,
                                           int64_t ld);
cublasStatus_t matrix_layout_create(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                    uint64_t rows, uint64_t cols, int64_t ld);
cublasStatus_t matrix_layout_destroy(cublasLtMatrixLayout_t layout);
cublasStatus_t matrix_layout_set_attribute(cublasLtMatrixLayout_t layout,
                                           cublasLtMatrixLayoutAttribute_t attribute,
                                           const void* buffer, size_t size);
cublasStatus_t matrix_layout_get_attribute(cublasLtMatrixLayout_t layout,
                                           cublasLtMatrixLayoutAttribute_t attribute, void* buffer,
                                           size_t size, size_t* written);

cublasStatus_t matmul_desc_init_internal(cublasLtMatmulDesc_t desc, size_t size,
                                         cublasComputeType_t compute, cudaDataType scale);
cublasStatus_t matmul_desc_create(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                  cudaDataType scale);
cublasStatus_t matmul_desc_destroy(cublasLtMatmulDesc_t desc);
cublasStatus_t matmul_desc_set_attribute(cublasLtMatmulDesc_t desc,
                                         cublasLtMatmulDescAttributes_t attribute,
                                         const void* buffer, size_t size);
cublasStatus_t matmul_desc_get_attribute(cublasLtMatmulDesc_t desc,
                                         cublasLtMatmulDescAttributes_t attribute, void* buffer,
                                         size_t size, size_t* written);

cublasStatus_t matrix_transform_desc_init_internal(cublasLtMatrixTransformDesc_t desc, size_t size,
                                                   cudaDataType scale);
cublasStatus_t matrix_transform_desc_create(cublasLtMatrixTransformDesc_t* desc,
                                            cudaDataType scale);
cublasStatus_t matrix_transform_desc_destroy(cublasLtMatrixTransformDesc_t desc);
cublasStatus_t matrix_transform_desc_set_attribute(
    cublasLtMatrixTransformDesc_t desc, cublasLtMatrixTransformDescAttributes_t attribute,
    const void* buffer, size_t size);
cublasStatus_t matrix_transform_desc_get_attribute(
    cublasLtMatrixTransformDesc_t desc, cublasLtMatrixTransformDescAttributes_t attribute,
    void* buffer, size_t size, size_t* written);

cublasStatus_t matmul_preference_init_internal(cublasLtMatmulPreference_t preference, size_t size);
cublasStatus_t matmul_preference_create(cublasLtMatmulPreference_t* preference);
cublasStatus_t matmul_preference_destroy(cublasLtMatmulPreference_t preference);
cublasStatus_t matmul_preference_set_attribute(cublasLtMatmulPreference_t preference,
                                               cublasLtMatmulPreferenceAttributes_t attribute,
                                               const void* buffer, size_t size);
cublasStatus_t matmul_preference_get_attribute(cublasLtMatmulPreference_t preference,
                                               cublasLtMatmulPreferenceAttributes_t attribute,
                                               void* buffer, size_t size, size_t* written);

// There is one algorithm, which needs no workspace: its id is 0.
cublasStatus_t matmul_algo_get_heuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                         cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc,
                                         cublasLtMatrixLayout_t cdesc, cublasLtMatrixLayout_t ddesc,
                                         cublasLtMatmulPreference_t preference, int requested,
                                         cublasLtMatmulHeuristicResult_t* results, int* found);
cublasStatus_t matmul_algo_get_ids(cublasLtHandle_t handle, cublasComputeType_t compute,
                                   cudaDataType scale, cudaDataType a, cudaDataType b,
                                   cudaDataType c, cudaDataType d, int requested, int* ids,
                                   int* found);
cublasStatus_t matmul_algo_init(cublasLtHandle_t handle, cublasComputeType_t compute,
                                cudaDataType scale, cudaDataType a, cudaDataType b, cudaDataType c,
                                cudaDataType d, int id, cublasLtMatmulAlgo_t* algo);
cublasStatus_t matmul_algo_check(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                 cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc,
                                 cublasLtMatrixLayout_t cdesc, cublasLtMatrixLayout_t ddesc,
                                 const cublasLtMatmulAlgo_t* algo,
                                 cublasLtMatmulHeuristicResult_t* result);
cublasStatus_t matmul_algo_cap_get_attribute(const cublasLtMatmulAlgo_t* algo,
                                             cublasLtMatmulAlgoCapAttributes_t attribute,
                                             void* buffer, size_t size, size_t* written);
cublasStatus_t matmul_algo_config_set_attribute(cublasLtMatmulAlgo_t* algo,
                                                cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                const void* buffer, size_t size);
cublasStatus_t matmul_algo_config_get_attribute(const cublasLtMatmulAlgo_t* algo,
                                                cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                void* buffer, size_t size, size_t* written);

cublasStatus_t logger_set_callback(cublasLtLoggerCallback_t callback);
cublasStatus_t logger_set_file(FILE* file);
cublasStatus_t logger_open_file(const char* name);
cublasStatus_t logger_set_level(int level);
cublasStatus_t logger_set_mask(int mask);
cublasStatus_t logger_force_disable();

}  // namespace heddle::mathlibs
