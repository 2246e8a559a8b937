// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels: their properties, and their settable attributes. Driver API 6.22, 6.25.
#include <algorithm>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/launch/function_attributes.h"
#include "driver/core/launch/launch.h"
#include "driver/core/launch/occupancy.h"
#include "driver/core/module/module.h"
#include "machine/launch.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_function(CUfunction handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto function = find_function(context, handle);
    return function ? body(*function) : CUDA_ERROR_INVALID_HANDLE;
  });
}

}  // namespace

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return with_function(hfunc, [&](Function& function) -> CUresult {
    return pi ? function_attribute(function, attrib, *pi) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return with_function(hfunc, [&](Function& function) {
    const CUresult result = set_function_attribute(function, attrib, value);
    if (result == CUDA_SUCCESS) function.set_directly |= 1u << attrib;
    return result;
  });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return with_function(hfunc, [&](Function& function) -> CUresult {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    function.cache_config = config;
    function.has_own_cache_config = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  return with_function(hfunc,
                       [&](Function& function) { return give(hmod, function.module().handle()); });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return with_function(
      hfunc, [&](Function& function) { return give(name, function.kernel().name.c_str()); });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
                            size_t* paramSize) {
  return with_function(func, [&](Function& function) -> CUresult {
    const auto& params = function.kernel().signature.params;
    if (!paramOffset || paramIndex >= params.size()) return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = params[paramIndex].offset;
    if (paramSize) *paramSize = params[paramIndex].size;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return with_function(function,
                       [&](Function&) { return give(state, CU_FUNCTION_LOADING_STATE_LOADED); });
}

CUresult cuFuncLoad(CUfunction function) {
  return with_function(function, [](Function&) { return CUDA_SUCCESS; });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
                                                              dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (blockSize <= 0 || (flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto threads = static_cast<heddle::u64>(blockSize);
    return give(numBlocks, blocks_per_multiprocessor(function, threads, dynamicSMemSize));
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (!minGridSize || !blockSize || blockSizeLimit < 0 ||
        (flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto best =
        best_block(function, static_cast<heddle::u64>(blockSizeLimit), [&](heddle::u64 threads) {
          return blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(static_cast<int>(threads))
                                            : dynamicSMemSize;
        });
    *blockSize = static_cast<int>(best.threads);
    *minGridSize = best.blocks_per_multiprocessor *
                   static_cast<int>(function.context()->device().profile.multiprocessors);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func,
                                            const CUlaunchConfig* config) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (!clusterSize || !config) return CUDA_ERROR_INVALID_VALUE;
    const auto required = required_cluster(function);
    if (required)
      *clusterSize = static_cast<int>(required->volume());
    else if (function.context()->device().profile.target.sm < heddle::machine::kFirstClusterTarget)
      *clusterSize = 1;
    else
      *clusterSize = static_cast<int>(function.large_clusters ? heddle::machine::kLargestCluster
                                                              : heddle::machine::kPortableCluster);
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func,
                                      const CUlaunchConfig* config) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (!numClusters || !config || (config->numAttrs && !config->attrs))
      return CUDA_ERROR_INVALID_VALUE;
    heddle::machine::LaunchShape launch;
    launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
    launch.cluster = required_cluster(function);
    launch.large_clusters = function.large_clusters;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
      const auto& size = config->attrs[i].value.clusterDim;
      launch.cluster = heddle::machine::Dim3{size.x, size.y, size.z};
    }
    const auto& profile = function.context()->device().profile;
    if (!launch.cluster ||
        !heddle::machine::refuse_cluster(profile, function.kernel(), launch).empty()) {
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    const heddle::u64 threads =
        heddle::u64{config->blockDimX} * config->blockDimY * config->blockDimZ;
    const auto blocks = blocks_per_multiprocessor(function, threads, config->sharedMemBytes);
    const auto stream = function.context()->stream(config->hStream);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    const heddle::u32 share = stream->group().multiprocessors();
    *numClusters =
        static_cast<int>(static_cast<heddle::u64>(blocks) *
                         (share ? share : profile.multiprocessors) / launch.cluster->volume());
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0) return CUDA_ERROR_INVALID_VALUE;
    const auto threads = static_cast<heddle::u64>(blockSize);
    if (blocks_per_multiprocessor(function, threads, 0) < numBlocks)
      return CUDA_ERROR_INVALID_VALUE;
    *dynamicSmemSize = dynamic_shared_for(function, static_cast<heddle::u64>(numBlocks));
    return CUDA_SUCCESS;
  });
}
