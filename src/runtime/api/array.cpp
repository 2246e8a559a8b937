// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: allocation and description. Runtime API 6.11, 6.23.
#include "runtime/core/array.h"

#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

namespace heddle::runtime {
namespace {

cudaError_t describe_array(const cudaChannelFormatDesc* desc, const cudaExtent& extent,
                           unsigned flags, CUDA_ARRAY3D_DESCRIPTOR& out) {
  if (!desc) return cudaErrorInvalidValue;
  ElementFormat format;
  if (const cudaError_t error = translate(*desc, format)) return error;
  out = {extent.width, extent.height, extent.depth, format.format, format.channels, flags};
  return cudaSuccess;
}

/// The driver's description of an array.
cudaError_t describe_array(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR& out) {
  return in_context([&] { return cuArray3DGetDescriptor_v2(&out, as<CUarray>(array)); });
}

}  // namespace

cudaError_t cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc,
                            size_t width, size_t height, unsigned int flags) {
  return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc,
                              struct cudaExtent extent, unsigned int flags) {
  CUDA_ARRAY3D_DESCRIPTOR description;
  if (const cudaError_t error = describe_array(desc, extent, flags, description)) return error;
  return in_context([&] { return cuArray3DCreate_v2(as<CUarray*>(array), &description); });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                     const struct cudaChannelFormatDesc* desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags) {
  CUDA_ARRAY3D_DESCRIPTOR description;
  if (const cudaError_t error = describe_array(desc, extent, flags, description)) return error;
  return in_context([&] {
    return cuMipmappedArrayCreate(as<CUmipmappedArray*>(mipmappedArray), &description, numLevels);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return in_context([&] { return array ? cuArrayDestroy(as<CUarray>(array)) : CUDA_SUCCESS; });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return in_context([&] {
    return mipmappedArray ? cuMipmappedArrayDestroy(as<CUmipmappedArray>(mipmappedArray))
                          : CUDA_SUCCESS;
  });
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc* desc, struct cudaExtent* extent,
                             unsigned int* flags, cudaArray_t array) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  if (const cudaError_t error = describe_array(array, found)) return error;
  if (extent) *extent = {found.Width, found.Height, found.Depth};
  if (flags) *flags = found.Flags;
  return desc ? translate({found.Format, found.NumChannels}, *desc) : cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  if (!desc) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR found{};
  if (const cudaError_t error = describe_array(array, found)) return error;
  return translate({found.Format, found.NumChannels}, *desc);
}

}  // namespace heddle::runtime
