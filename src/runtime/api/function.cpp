// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as objects: their attributes, their handles, their occupancy. Runtime API 6.8, 6.10.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"
#include "runtime/core/launch_config.h"
#include "runtime/core/registry.h"

namespace heddle::runtime {
namespace {

template <class T>
void read(CUfunction function, CUfunction_attribute attribute, T& member, CUresult& result) {
  int value = 0;
  if (const CUresult bad = cuFuncGetAttribute(&value, attribute, function)) result = bad;
  member = static_cast<T>(value);
}

/// Runs `body(function, config)`, which returns a result of the driver.
template <class Body>
cudaError_t with_configuration(const void* func, const cudaLaunchConfig_t* config, Body body) {
  if (!config) return cudaErrorInvalidValue;
  CUfunction function = nullptr;
  if (const cudaError_t error = use_context()) return error;
  if (const cudaError_t error = function_of(func, function)) return error;
  CUlaunchConfig translated{};
  if (const cudaError_t error = translate(*config, translated)) return error;
  return from_driver(body(function, &translated));
}

}  // namespace

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, const void* func) {
  if (!attr) return cudaErrorInvalidValue;
  CUfunction function = nullptr;
  if (const cudaError_t error = use_context()) return error;
  if (const cudaError_t error = function_of(func, function)) return error;
  *attr = {};
  CUresult result = CUDA_SUCCESS;
  read(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, attr->sharedSizeBytes, result);
  read(function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, attr->constSizeBytes, result);
  read(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, attr->localSizeBytes, result);
  read(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, attr->maxThreadsPerBlock, result);
  read(function, CU_FUNC_ATTRIBUTE_NUM_REGS, attr->numRegs, result);
  read(function, CU_FUNC_ATTRIBUTE_PTX_VERSION, attr->ptxVersion, result);
  read(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION, attr->binaryVersion, result);
  read(function, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, attr->cacheModeCA, result);
  read(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, attr->maxDynamicSharedSizeBytes,
       result);
  read(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, attr->preferredShmemCarveout,
       result);
  read(function, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, attr->clusterDimMustBeSet, result);
  read(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, attr->requiredClusterWidth, result);
  read(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, attr->requiredClusterHeight, result);
  read(function, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, attr->requiredClusterDepth, result);
  read(function, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
       attr->clusterSchedulingPolicyPreference, result);
  read(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
       attr->nonPortableClusterSizeAllowed, result);
  return from_driver(result);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  if (!functionPtr) return cudaErrorInvalidValue;
  if (const cudaError_t error = use_context()) return error;
  return function_of(symbolPtr, *functionPtr);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  if (!kernelPtr) return cudaErrorInvalidValue;
  if (const cudaError_t error = use_context()) return error;
  return kernel_of(entryFuncAddr, *kernelPtr);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device) {
  return in_context(
      [&] { return cuKernelSetAttribute(as<CUfunction_attribute>(attr), value, kernel, device); });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                 const cudaLaunchConfig_t* launchConfig) {
  return with_configuration(func, launchConfig, [&](CUfunction function, CUlaunchConfig* config) {
    return cuOccupancyMaxPotentialClusterSize(clusterSize, function, config);
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                           const cudaLaunchConfig_t* launchConfig) {
  return with_configuration(func, launchConfig, [&](CUfunction function, CUlaunchConfig* config) {
    return cuOccupancyMaxActiveClusters(numClusters, function, config);
  });
}

}  // namespace heddle::runtime
