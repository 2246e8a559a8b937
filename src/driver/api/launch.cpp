// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels. Driver API 6.22.
#include "driver/core/launch.h"
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

CUresult launch_in(CUfunction f, CUstream handle, LaunchRequest request) {
  return in_context([&](Context& context) -> CUresult {
    const auto function = find_function(context, f);
    const auto stream = context.stream(handle);
    if (!function || !stream) return CUDA_ERROR_INVALID_HANDLE;
    if (function->context() != &context || stream->context() != &context) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    return launch(context, function, *stream, request);
  });
}

// The preferred cluster size is what a device may use instead, and this one never does. Hints about
// scheduling and caches change no result. The other attributes do, and are refused.
CUresult apply(const CUlaunchAttribute& attribute, LaunchRequest& request) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      request.cooperative = attribute.value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& size = attribute.value.clusterDim;
      request.cluster = {size.x, size.y, size.z};
      return CUDA_SUCCESS;
    }
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  return launch_in(f, hStream,
                   {.grid = {gridDimX, gridDimY, gridDimZ},
                    .block = {blockDimX, blockDimY, blockDimZ},
                    .dynamic_shared = sharedMemBytes,
                    .params = kernelParams,
                    .extra = extra});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  if (!config || (config->numAttrs && !config->attrs)) {
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  LaunchRequest request{.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                        .dynamic_shared = config->sharedMemBytes,
                        .params = kernelParams,
                        .extra = extra};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (const CUresult bad = apply(config->attrs[i], request)) {
      return in_context([&](Context&) { return bad; });
    }
  }
  return launch_in(f, config->hStream, request);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void** kernelParams) {
  return launch_in(f, hStream,
                   {.grid = {gridDimX, gridDimY, gridDimZ},
                    .block = {blockDimX, blockDimY, blockDimZ},
                    .dynamic_shared = sharedMemBytes,
                    .params = kernelParams,
                    .extra = nullptr,
                    .cooperative = true});
}
