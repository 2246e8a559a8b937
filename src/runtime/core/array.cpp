// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See array.h. Formats of video are not translated.
#include "runtime/core/array.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "driver/api.h"
#include "runtime/core/context.h"
#include "runtime/core/convert.h"

namespace heddle::runtime {
namespace {

/// Formats whose components a program chooses: 1, 2 or 4 of one kind.
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

/// Formats that are one kind each. A compressed format has the bits of what it decodes to, and the
/// bytes of a block of 4x4 elements.
struct Fixed {
  CUarray_format format;
  cudaChannelFormatDesc description;
  std::size_t bytes;
  std::size_t edge = 1;  ///< elements along the edge of a block
};

#define HEDDLE_KIND(name) cudaChannelFormatKind##name
constexpr Fixed kFixed[] = {
    {CU_AD_FORMAT_UNORM_INT8X1, {8, 0, 0, 0, HEDDLE_KIND(UnsignedNormalized8X1)}, 1},
    {CU_AD_FORMAT_UNORM_INT8X2, {8, 8, 0, 0, HEDDLE_KIND(UnsignedNormalized8X2)}, 2},
    {CU_AD_FORMAT_UNORM_INT8X4, {8, 8, 8, 8, HEDDLE_KIND(UnsignedNormalized8X4)}, 4},
    {CU_AD_FORMAT_UNORM_INT16X1, {16, 0, 0, 0, HEDDLE_KIND(UnsignedNormalized16X1)}, 2},
    {CU_AD_FORMAT_UNORM_INT16X2, {16, 16, 0, 0, HEDDLE_KIND(UnsignedNormalized16X2)}, 4},
    {CU_AD_FORMAT_UNORM_INT16X4, {16, 16, 16, 16, HEDDLE_KIND(UnsignedNormalized16X4)}, 8},
    {CU_AD_FORMAT_SNORM_INT8X1, {8, 0, 0, 0, HEDDLE_KIND(SignedNormalized8X1)}, 1},
    {CU_AD_FORMAT_SNORM_INT8X2, {8, 8, 0, 0, HEDDLE_KIND(SignedNormalized8X2)}, 2},
    {CU_AD_FORMAT_SNORM_INT8X4, {8, 8, 8, 8, HEDDLE_KIND(SignedNormalized8X4)}, 4},
    {CU_AD_FORMAT_SNORM_INT16X1, {16, 0, 0, 0, HEDDLE_KIND(SignedNormalized16X1)}, 2},
    {CU_AD_FORMAT_SNORM_INT16X2, {16, 16, 0, 0, HEDDLE_KIND(SignedNormalized16X2)}, 4},
    {CU_AD_FORMAT_SNORM_INT16X4, {16, 16, 16, 16, HEDDLE_KIND(SignedNormalized16X4)}, 8},
    {CU_AD_FORMAT_UNORM_INT_101010_2, {10, 10, 10, 2, HEDDLE_KIND(UnsignedNormalized1010102)}, 4},
    {CU_AD_FORMAT_BC1_UNORM, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed1)}, 8, 4},
    {CU_AD_FORMAT_BC1_UNORM_SRGB, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed1SRGB)}, 8, 4},
    {CU_AD_FORMAT_BC2_UNORM, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed2)}, 16, 4},
    {CU_AD_FORMAT_BC2_UNORM_SRGB, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed2SRGB)}, 16, 4},
    {CU_AD_FORMAT_BC3_UNORM, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed3)}, 16, 4},
    {CU_AD_FORMAT_BC3_UNORM_SRGB, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed3SRGB)}, 16, 4},
    {CU_AD_FORMAT_BC4_UNORM, {8, 0, 0, 0, HEDDLE_KIND(UnsignedBlockCompressed4)}, 8, 4},
    {CU_AD_FORMAT_BC4_SNORM, {8, 0, 0, 0, HEDDLE_KIND(SignedBlockCompressed4)}, 8, 4},
    {CU_AD_FORMAT_BC5_UNORM, {8, 8, 0, 0, HEDDLE_KIND(UnsignedBlockCompressed5)}, 16, 4},
    {CU_AD_FORMAT_BC5_SNORM, {8, 8, 0, 0, HEDDLE_KIND(SignedBlockCompressed5)}, 16, 4},
    {CU_AD_FORMAT_BC6H_UF16, {16, 16, 16, 0, HEDDLE_KIND(UnsignedBlockCompressed6H)}, 16, 4},
    {CU_AD_FORMAT_BC6H_SF16, {16, 16, 16, 0, HEDDLE_KIND(SignedBlockCompressed6H)}, 16, 4},
    {CU_AD_FORMAT_BC7_UNORM, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed7)}, 16, 4},
    {CU_AD_FORMAT_BC7_UNORM_SRGB, {8, 8, 8, 8, HEDDLE_KIND(UnsignedBlockCompressed7SRGB)}, 16, 4},
};
#undef HEDDLE_KIND

std::array<int, 4> bits_of(const cudaChannelFormatDesc& d) { return {d.x, d.y, d.z, d.w}; }

const Fixed* find_fixed(CUarray_format format) {
  const auto* const found = std::ranges::find(kFixed, format, &Fixed::format);
  return found == std::end(kFixed) ? nullptr : found;
}

}  // namespace

cudaError_t translate(const cudaChannelFormatDesc& description, ElementFormat& out) {
  const auto bits = bits_of(description);
  for (const Fixed& each : kFixed) {
    if (each.description.f != description.f) continue;
    if (bits_of(each.description) != bits) return cudaErrorInvalidChannelDescriptor;
    out = {each.format, 4 - static_cast<unsigned>(std::ranges::count(bits, 0))};
    return cudaSuccess;
  }
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
  if (const Fixed* const fixed = find_fixed(format.format)) {
    out = fixed->description;
    return cudaSuccess;
  }
  for (const Component& each : kComponents) {
    if (each.format != format.format) continue;
    const auto bits = [&](unsigned channel) { return channel < format.channels ? each.bits : 0; };
    out = {bits(0), bits(1), bits(2), bits(3), each.kind};
    return cudaSuccess;
  }
  return cudaErrorInvalidChannelDescriptor;
}

cudaError_t layout_of(cudaArray_const_t array, ArrayLayout& out) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  const cudaError_t error =
      in_context([&] { return cuArray3DGetDescriptor_v2(&found, as<CUarray>(array)); });
  if (error) return error;
  std::size_t edge = 1;
  if (const Fixed* const fixed = find_fixed(found.Format)) {
    out.element = fixed->bytes;
    edge = fixed->edge;
  } else {
    cudaChannelFormatDesc description{};
    if (const cudaError_t bad = translate({found.Format, found.NumChannels}, description))
      return bad;
    out.element = static_cast<std::size_t>(description.x) / 8 * found.NumChannels;
  }
  const auto blocks = [&](std::size_t elements) {
    return (std::max<std::size_t>(elements, 1) + edge - 1) / edge;
  };
  out.row = blocks(found.Width) * out.element;
  out.rows = blocks(found.Height);
  return cudaSuccess;
}

}  // namespace heddle::runtime
