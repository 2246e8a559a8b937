// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, and finding functions of the driver. Runtime API 6.28, 6.32.
#include "runtime/core/version.h"

#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/convert.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return from_driver(cuDriverGetVersion(driverVersion));
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  if (!runtimeVersion) return cudaErrorInvalidValue;
  *runtimeVersion = kVersion;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, static_cast<unsigned>(kVersion), flags,
                                          driverStatus);
}

// For a function that does not exist, the result is a null pointer and a status, not an error.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult* driverStatus) {
  if (flags == cudaEnableDefault && per_thread_default_stream()) {
    flags = cudaEnablePerThreadDefaultStream;
  }
  const CUresult result = cuGetProcAddress_v2(symbol, funcPtr, static_cast<int>(cudaVersion), flags,
                                              as<CUdriverProcAddressQueryResult*>(driverStatus));
  return result == CUDA_ERROR_NOT_FOUND ? cudaSuccess : from_driver(result);
}

}  // namespace heddle::runtime
