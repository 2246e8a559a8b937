// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch_config.h.
#include "runtime/core/launch_config.h"

#include "runtime/core/convert.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {

cudaError_t translate(const cudaLaunchConfig_t& config, CUlaunchConfig& out) {
  if (config.dynamicSmemBytes > UINT32_MAX) return cudaErrorInvalidValue;
  out = {config.gridDim.x,
         config.gridDim.y,
         config.gridDim.z,
         config.blockDim.x,
         config.blockDim.y,
         config.blockDim.z,
         static_cast<unsigned>(config.dynamicSmemBytes),
         stream_of(config.stream),
         as<CUlaunchAttribute*>(config.attrs),
         config.numAttrs};
  return cudaSuccess;
}

}  // namespace heddle::runtime
