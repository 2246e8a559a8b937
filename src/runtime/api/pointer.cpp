// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of pointers. Runtime API 6.13.
#include <algorithm>
#include <iterator>

#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/version.h"

namespace heddle::runtime {

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, const void* ptr) {
  if (!attributes) return cudaErrorInvalidValue;
  unsigned type = 0, managed = 0;
  int device = 0;
  CUdeviceptr on_device = 0;
  void* on_host = nullptr;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* values[] = {&type, &managed, &device, &on_device, static_cast<void*>(&on_host)};
  const cudaError_t error = in_context(
      [&] { return cuPointerGetAttributes(5, names, values, reinterpret_cast<CUdeviceptr>(ptr)); });
  if (error) return error;
  attributes->type = managed                        ? cudaMemoryTypeManaged
                     : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                     : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                    : cudaMemoryTypeUnregistered;
  const bool known = attributes->type != cudaMemoryTypeUnregistered;
  attributes->device = known ? device : cudaInvalidDeviceId;
  attributes->devicePointer = known ? reinterpret_cast<void*>(on_device) : nullptr;
  attributes->hostPointer = known ? on_host : const_cast<void*>(ptr);
  // CUDA 12's structure ends before these.
  if (kVersion >= 13000) std::fill(attributes->reserved, std::end(attributes->reserved), 0);
  return cudaSuccess;
}

}  // namespace heddle::runtime
