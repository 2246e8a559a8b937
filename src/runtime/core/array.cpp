// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See array.h. Formats other than plain integers and floats (for example block-compressed formats)
// are not translated yet.
#include "runtime/core/array.h"

#include "driver/api.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"

namespace heddle::runtime {
namespace {

struct Component {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};

constexpr Component kComponents[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

}  // namespace

cudaError_t translate(const cudaChannelFormatDesc& description, ElementFormat& out) {
  const int bits[] = {description.x, description.y, description.z, description.w};
  unsigned channels = 0;
  while (channels < 4 && bits[channels] == bits[0]) ++channels;
  for (unsigned rest = channels; rest < 4; ++rest) {
    if (bits[rest]) return cudaErrorInvalidChannelDescriptor;
  }
  if (channels == 3) return cudaErrorInvalidChannelDescriptor;
  for (const Component& each : kComponents) {
    if (each.kind != description.f || each.bits != bits[0]) continue;
    out = {each.format, channels};
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

cudaError_t translate(const ElementFormat& format, cudaChannelFormatDesc& out) {
  for (const Component& each : kComponents) {
    if (each.format != format.format) continue;
    const auto bits = [&](unsigned channel) { return channel < format.channels ? each.bits : 0; };
    out = {bits(0), bits(1), bits(2), bits(3), each.kind};
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

cudaError_t element_size(cudaArray_const_t array, size_t& bytes) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  const cudaError_t error =
      in_context([&] { return cuArray3DGetDescriptor_v2(&found, as<CUarray>(array)); });
  if (error) return error;
  cudaChannelFormatDesc description{};
  if (const cudaError_t bad = translate({found.Format, found.NumChannels}, description)) return bad;
  bytes = static_cast<size_t>(description.x) / 8 * found.NumChannels;
  return cudaSuccess;
}

}  // namespace heddle::runtime
