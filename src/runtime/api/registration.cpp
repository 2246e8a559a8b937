// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that compiled code calls, not the program's source: crt/host_runtime.h of the
// toolkit declares them. A program registers its fat binaries before main; a launch
// `f<<<...>>>(...)` pushes its configuration and calls a stub, which pops it and launches.
#include <vector>

#include "base/per_thread.h"
#include "runtime/bodies.h"
#include "runtime/core/registry.h"

using heddle::runtime::FatBinary;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

std::vector<CallConfiguration>& configurations() {
  static const heddle::PerThread<std::vector<CallConfiguration>> all;
  return all.here();
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

void** __cudaRegisterFatBinary(void* fatCubin) {
  return reinterpret_cast<void**>(heddle::runtime::register_fat_binary(fatCubin));
}

// All symbols of the binary have been registered. The binary is loaded at the first use.
void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** fatCubinHandle) {
  heddle::runtime::unregister_fat_binary(binary_of(fatCubinHandle));
}

void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char*,
                            const char* deviceName, int, uint3*, uint3*, dim3*, dim3*, int*) {
  heddle::runtime::register_kernel(binary_of(fatCubinHandle), hostFun, deviceName);
}

void __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char*, const char* deviceName, int,
                       size_t size, int, int) {
  heddle::runtime::register_variable(binary_of(fatCubinHandle), hostVar, deviceName, size);
}

void __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress, char*,
                              const char* deviceName, int, size_t size, int, int) {
  heddle::runtime::register_managed(binary_of(fatCubinHandle), hostVarPtrAddress, deviceName, size);
}

// The program calls this before it first uses a managed variable.
char __cudaInitModule(void** fatCubinHandle) {
  return heddle::runtime::record(heddle::runtime::load(binary_of(fatCubinHandle))) == cudaSuccess;
}

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st* stream) {
  configurations().push_back({gridDim, blockDim, sharedMem, stream});
  return 0;
}

namespace heddle::runtime {

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration& last = configurations().back();
  *gridDim = last.grid;
  *blockDim = last.block;
  *sharedMem = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  configurations().pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* func) {
  return cudaGetKernel(kernel, func);
}

// The stub gets the kernel once and ignores the error of that call; the same error is returned here
// if there is no kernel.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream) {
  if (!kernel) return last_error() ? last_error() : cudaErrorInvalidDeviceFunction;
  return cudaLaunchKernel(kernel, gridDim, blockDim, args, sharedMem, stream);
}

}  // namespace heddle::runtime
