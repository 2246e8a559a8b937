// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation. Runtime API 6.11. Unlike in the driver, allocating 0 bytes and freeing a null pointer
// succeed.
#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"

namespace heddle::runtime {
namespace {

CUdeviceptr* device(void** pointer) { return reinterpret_cast<CUdeviceptr*>(pointer); }

/// Runs `allocate()` in the context, unless 0 bytes are requested.
template <class Allocate>
cudaError_t unless_empty(void** pointer, size_t bytes, Allocate allocate) {
  if (!pointer) return cudaErrorInvalidValue;
  if (bytes) return in_context(allocate);
  *pointer = nullptr;
  return use_context();
}

}  // namespace

cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return unless_empty(devPtr, size, [&] { return cuMemAlloc_v2(device(devPtr), size); });
}

cudaError_t cudaMallocHost(void** ptr, size_t size) { return cudaHostAlloc(ptr, size, 0); }

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return unless_empty(pHost, size, [&] { return cuMemHostAlloc(pHost, size, flags); });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  if (!pitch) return cudaErrorInvalidValue;
  if (!width || !height) *pitch = 0;
  return unless_empty(devPtr, width && height,
                      [&] { return cuMemAllocPitch_v2(device(devPtr), pitch, width, height, 4); });
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent) {
  if (!pitchedDevPtr) return cudaErrorInvalidValue;
  pitchedDevPtr->xsize = extent.width;
  pitchedDevPtr->ysize = extent.height;
  return cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaFree(void* devPtr) {
  return in_context(
      [&] { return devPtr ? cuMemFree_v2(reinterpret_cast<CUdeviceptr>(devPtr)) : CUDA_SUCCESS; });
}

cudaError_t cudaFreeHost(void* ptr) {
  return in_context([&] { return ptr ? cuMemFreeHost(ptr) : CUDA_SUCCESS; });
}

}  // namespace heddle::runtime
