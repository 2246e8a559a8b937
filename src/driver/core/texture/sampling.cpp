// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a texture is read: driver API 6.28 (CUDA_TEXTURE_DESC). The modes that instructions see are
// the effective ones: for example, coordinates that are not normalized are never wrapped.
#include <algorithm>
#include <bit>
#include <cmath>

#include "driver/core/texture/refusal.h"
#include "driver/core/texture/resource.h"
#include "driver/core/texture/texture.h"

namespace heddle::driver {
namespace {

using isa::AddressMode;
using isa::TexelFormat;
using isa::TexelReading;
using isa::TextureFilter;

constexpr unsigned kFlags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                            CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                            CU_TRSF_SEAMLESS_CUBEMAP;

bool is_floating_point(TexelFormat format) {
  return format == TexelFormat::f16 || format == TexelFormat::f32 ||
         format == TexelFormat::bc6h_unsigned || format == TexelFormat::bc6h_signed;
}

/// sRGB exists for four channels of 8 bits, and for the compressed formats of color.
bool can_be_srgb(const ElementFormat& element, TexelReading reading) {
  switch (element.texel) {
    case TexelFormat::u8:
      return element.channels == 4 && reading == TexelReading::normalized;
    case TexelFormat::bc1:
    case TexelFormat::bc2:
    case TexelFormat::bc3:
    case TexelFormat::bc7:
      return true;
    default:
      return false;
  }
}

/// Integers of 8 and 16 bits are promoted to floating point, unless a flag forbids that.
TexelReading reading_of(const ElementFormat& element, unsigned flags) {
  if (element.srgb) return TexelReading::srgb;
  if (element.normalized) return TexelReading::normalized;
  const bool is_narrow = element.texel <= TexelFormat::s16;
  const bool promotes = is_narrow && !(flags & CU_TRSF_READ_AS_INTEGER);
  return promotes ? TexelReading::normalized : TexelReading::bits;
}

AddressMode address_mode(CUaddress_mode mode) {
  switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
      return AddressMode::wrap;
    case CU_TR_ADDRESS_MODE_MIRROR:
      return AddressMode::mirror;
    case CU_TR_ADDRESS_MODE_BORDER:
      return AddressMode::clamp_to_border;
    case CU_TR_ADDRESS_MODE_CLAMP:
      break;
  }
  return AddressMode::clamp_to_edge;
}

TextureFilter filter_of(CUfilter_mode mode) {
  return mode == CU_TR_FILTER_MODE_LINEAR ? TextureFilter::linear : TextureFilter::nearest;
}

/// A level of detail in units of 1/256, as hardware has it.
int level_units(float level, int least, int most) {
  if (std::isnan(level)) return 0;
  return static_cast<int>(
      std::lround(std::clamp(level * 256.0f, static_cast<float>(least), static_cast<float>(most))));
}

/// The largest number of samples that is not above `ratio`.
u8 anisotropy_of(unsigned ratio) {
  constexpr u8 kSteps[] = {16, 12, 10, 8, 6, 4, 2, 1};
  return *std::ranges::find_if(kSteps, [&](u8 step) { return step <= std::max(ratio, 1u); });
}

u32 border_bits(float value, const isa::Texture& texture) {
  if (texture.reading == TexelReading::bits) return std::bit_cast<u32>(value);
  const bool is_signed = texture.format == TexelFormat::s8 || texture.format == TexelFormat::s16 ||
                         texture.format == TexelFormat::bc4_signed ||
                         texture.format == TexelFormat::bc5_signed;
  if (std::isnan(value)) value = 0;
  return std::bit_cast<u32>(std::clamp(value, is_signed ? -1.0f : 0.0f, 1.0f));
}

CUresult check(const CUDA_TEXTURE_DESC& sampling, const isa::Texture& texture) {
  const auto is_filter = [](CUfilter_mode mode) {
    return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
  };
  if (sampling.flags & ~kFlags) return refuse_texture("unknown flags {:#x}", sampling.flags);
  for (u32 i = 0; i < texture.dimensions; ++i) {
    const int mode = sampling.addressMode[i];
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
      return refuse_texture("{} is no address mode", mode);
  }
  if (!is_filter(sampling.filterMode) || !is_filter(sampling.mipmapFilterMode))
    return refuse_texture("a filter mode is neither point nor linear");
  if (texture.mipmapped && !(sampling.flags & CU_TRSF_NORMALIZED_COORDINATES))
    return refuse_texture("a mipmapped array needs CU_TRSF_NORMALIZED_COORDINATES");
  if ((sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP) && !texture.cube)
    return refuse_texture("CU_TRSF_SEAMLESS_CUBEMAP needs an array made with CUDA_ARRAY3D_CUBEMAP");
  return CUDA_SUCCESS;
}

isa::Sampler sampler_of(const CUDA_TEXTURE_DESC& sampling, const isa::Texture& texture) {
  isa::Sampler sampler;
  if (texture.linear) {
    sampler.address.fill(AddressMode::clamp_to_border);
    return sampler;
  }
  sampler.normalized = sampling.flags & CU_TRSF_NORMALIZED_COORDINATES;
  const bool seamless = sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP;
  for (u32 i = 0; i < texture.dimensions; ++i) {
    const AddressMode mode = address_mode(sampling.addressMode[i]);
    const bool is_wrapped = mode == AddressMode::wrap || mode == AddressMode::mirror;
    const bool is_ignored = seamless || (is_wrapped && !sampler.normalized);
    sampler.address[i] = is_ignored ? AddressMode::clamp_to_edge : mode;
  }
  sampler.filter = filter_of(sampling.filterMode);
  sampler.seamless = seamless && sampler.filter == TextureFilter::linear;
  sampler.anisotropy = anisotropy_of(sampling.maxAnisotropy);
  for (std::size_t i = 0; i < sampler.border.size(); ++i)
    sampler.border[i] = border_bits(sampling.borderColor[i], texture);
  if (!texture.mipmapped) return sampler;
  sampler.mip_filter = filter_of(sampling.mipmapFilterMode);
  sampler.bias = static_cast<s16>(level_units(sampling.mipmapLevelBias, -4096, 4095));
  sampler.least = static_cast<u16>(level_units(sampling.minMipmapLevelClamp, 0, 4095));
  sampler.most = static_cast<u16>(level_units(sampling.maxMipmapLevelClamp, 0, 4095));
  return sampler;
}

/// Completes the texture with the format of its texels.
void set_format(const ElementFormat& element, TexelReading reading, isa::Texture& texture) {
  texture.format = element.texel;
  texture.reading = reading;
  texture.channels = element.channels;
}

}  // namespace

CUresult make_texture(const TextureDescription& description, isa::TextureObject& out) {
  const CUDA_TEXTURE_DESC& sampling = description.sampling;
  Resource resource;
  const auto* const view = description.view ? &*description.view : nullptr;
  if (const CUresult bad = read_resource(description.resource, view, resource)) return bad;
  isa::Texture& texture = resource.texture;
  if (const CUresult bad = check(sampling, texture)) return bad;
  TexelReading reading = reading_of(resource.element, sampling.flags);
  if (sampling.flags & CU_TRSF_SRGB) {
    if (!can_be_srgb(resource.element, reading))
      return refuse_texture(
          "CU_TRSF_SRGB needs four channels of 8 bits that are read as floating point");
    reading = TexelReading::srgb;
  }
  set_format(resource.element, reading, texture);
  out = {};
  out.kind = isa::TextureObject::Kind::texture;
  out.bound = true;
  out.texture = texture;
  out.sampler = sampler_of(sampling, texture);
  const bool filters = out.sampler.filter == TextureFilter::linear ||
                       out.sampler.mip_filter == TextureFilter::linear;
  if (filters && reading == TexelReading::bits && !is_floating_point(texture.format))
    return refuse_texture("integers that are read as integers cannot be filtered");
  return CUDA_SUCCESS;
}

CUresult make_surface(const CUDA_RESOURCE_DESC& description, isa::TextureObject& out) {
  if (description.resType != CU_RESOURCE_TYPE_ARRAY)
    return refuse_texture("a surface needs an array");
  Resource resource;
  if (const CUresult bad = read_resource(description, nullptr, resource)) return bad;
  if (!resource.has_surfaces)
    return refuse_texture("a surface needs an array made with CUDA_ARRAY3D_SURFACE_LDST");
  set_format(resource.element, reading_of(resource.element, CU_TRSF_READ_AS_INTEGER),
             resource.texture);
  // The faces of cubes are layers.
  resource.texture.layered |= resource.texture.cube;
  resource.texture.cube = false;
  out = {};
  out.kind = isa::TextureObject::Kind::surface;
  out.bound = true;
  out.texture = resource.texture;
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
