// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels. Runtime API 6.8 (Execution Control). A configuration of the runtime is a
// configuration of the driver with different names; launch attributes have the same layout.
#include <cstdio>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/types.h"
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/default_stream.h"
#include "runtime/core/launch_config.h"
#include "runtime/core/registry.h"

namespace heddle::runtime {
namespace {

using Launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void**);

CUresult plain(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
               unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** args) {
  return cuLaunchKernel(f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, args,
                        nullptr);
}

int attribute(CUdevice device, CUdevice_attribute name) {
  int value = 0;
  return cuDeviceGetAttribute(&value, name, device) ? 0 : value;
}

/// Whether the device launches grids and blocks of these shapes.
bool is_launchable(const dim3& grid, const dim3& block) {
  CUdevice device = 0;
  if (cuCtxGetDevice(&device)) return false;
  const auto fits = [&](unsigned size, CUdevice_attribute limit) {
    return size && size <= static_cast<unsigned>(attribute(device, limit));
  };
  const auto threads = u64{block.x} * block.y * block.z;
  return fits(grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
         fits(grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
         fits(grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) &&
         fits(block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
         fits(block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
         fits(block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
         threads <= static_cast<u64>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
}

/// Reports, once, why a launch is refused. For launches that are not passed to the driver, which
/// would report the reason.
cudaError_t refuse(cudaError_t error, const char* why) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> said;
  const std::lock_guard lock(mutex);
  if (said.emplace(why).second) std::fprintf(stderr, "heddle: %s\n", why);
  return error;
}

cudaError_t find_kernel(const void* func, CUkernel& kernel) {
  const cudaError_t error = kernel_of(func, kernel);
  return error == cudaErrorInvalidDeviceFunction
             ? refuse(error, "a launch names no kernel of this program")
             : error;
}

cudaError_t refuse_shared() {
  return refuse(cudaErrorInvalidValue, "a launch asks for more than 4 GiB of shared memory");
}

// The runtime has a separate error for a shape in which no kernel can be launched.
cudaError_t of_launch(cudaError_t error, const dim3& grid, const dim3& block) {
  return error == cudaErrorInvalidValue && !is_launchable(grid, block)
             ? cudaErrorInvalidConfiguration
             : error;
}

cudaError_t launch(Launch how, const void* func, dim3 grid, dim3 block, void** args, size_t shared,
                   cudaStream_t stream) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = use_context()) return error;
  if (const cudaError_t error = find_kernel(func, kernel)) return error;
  if (shared > UINT32_MAX) return refuse_shared();
  // The driver's launch functions accept a kernel in place of a function.
  const CUresult result =
      how(reinterpret_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
          static_cast<unsigned>(shared), stream_of(stream), args);
  return of_launch(from_driver(result), grid, block);
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, cudaStream_t stream) {
  return launch(plain, func, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  return launch(cuLaunchCooperativeKernel, func, gridDim, blockDim, args, sharedMem, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  if (!config) return cudaErrorInvalidValue;
  CUkernel kernel = nullptr;
  if (const cudaError_t error = use_context()) return error;
  if (const cudaError_t error = find_kernel(func, kernel)) return error;
  CUlaunchConfig translated{};
  if (translate(*config, translated)) return refuse_shared();
  const CUresult result =
      cuLaunchKernelEx(&translated, reinterpret_cast<CUfunction>(kernel), args, nullptr);
  return of_launch(from_driver(result), config->gridDim, config->blockDim);
}

// CUDA 12 only. The stream of a grid determines its device.
cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* launchParamsList,
                                                   unsigned int numDevices, unsigned int flags) {
  if (!launchParamsList) return cudaErrorInvalidValue;
  if (const cudaError_t error = use_context()) return error;
  std::vector<CUDA_LAUNCH_PARAMS> launches;
  for (const cudaLaunchParams& from : std::span(launchParamsList, numDevices)) {
    CUkernel kernel = nullptr;
    if (const cudaError_t error = find_kernel(from.func, kernel)) return error;
    if (from.sharedMem > UINT32_MAX) return refuse_shared();
    launches.push_back({reinterpret_cast<CUfunction>(kernel), from.gridDim.x, from.gridDim.y,
                        from.gridDim.z, from.blockDim.x, from.blockDim.y, from.blockDim.z,
                        static_cast<unsigned>(from.sharedMem), stream_of(from.stream), from.args});
  }
  return from_driver(cuLaunchCooperativeKernelMultiDevice(launches.data(), numDevices, flags));
}

}  // namespace heddle::runtime
