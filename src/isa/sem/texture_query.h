// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of textures, samplers and surfaces that txq and suq ask for (PTX
// ISA 5.3, 9.7.10.5, 9.7.11.4).
#pragma once

#include "isa/groups.h"
#include "isa/texture.h"

namespace heddle::sem {

/// OpenCL's codes (5.3.3), which PTX uses. Formats of blocks have none of their own: they are
/// unpacked to 8-bit channels, or half precision.
constexpr u32 channel_data_type(const isa::Texture& texture) {
  using isa::TexelFormat;
  const bool normalized = texture.reading != isa::TexelReading::bits;
  switch (texture.format) {
    case TexelFormat::s8:
    case TexelFormat::bc4_signed:
    case TexelFormat::bc5_signed:
      return normalized ? 0x10d0 : 0x10d7;
    case TexelFormat::s16:
      return normalized ? 0x10d1 : 0x10d8;
    case TexelFormat::u16:
      return normalized ? 0x10d3 : 0x10db;
    case TexelFormat::u10_10_10_2:
      return 0x10d6;
    case TexelFormat::s32:
      return 0x10d9;
    case TexelFormat::u32:
      return 0x10dc;
    case TexelFormat::f16:
    case TexelFormat::bc6h_unsigned:
    case TexelFormat::bc6h_signed:
      return 0x10dd;
    case TexelFormat::f32:
      return 0x10de;
    default:
      return normalized ? 0x10d2 : 0x10da;
  }
}
constexpr u32 channel_order(const isa::Texture& texture) {
  return texture.channels == 1 ? 0x10b0 : texture.channels == 2 ? 0x10b2 : 0x10b5;
}
/// Of a cube array: cubes.
constexpr u32 array_size(const isa::Texture& texture) {
  return !texture.layered ? 0 : texture.cube ? texture.layers / 6 : texture.layers;
}

constexpr u32 property_of(const isa::TextureObject& object, isa::Texquery query) {
  const isa::Texture& texture = object.texture;
  switch (query) {
    case isa::Texquery::width:
      return texture.level[0].width;
    case isa::Texquery::height:
      return texture.level[0].height;
    case isa::Texquery::depth:
      return texture.level[0].depth;
    case isa::Texquery::channel_data_type:
      return channel_data_type(texture);
    case isa::Texquery::channel_order:
      return channel_order(texture);
    case isa::Texquery::normalized_coords:
      return object.sampler.normalized ? 1 : 0;
    case isa::Texquery::array_size:
      return array_size(texture);
    case isa::Texquery::num_mipmap_levels:
      return texture.mipmapped ? texture.levels : 0;
    default:  // num_samples: no texture has several for each texel
      return 0;
  }
}

/// Levels that do not exist have no extent.
constexpr u32 extent_of_level(const isa::Texture& texture, isa::Texquery query, s32 number) {
  if (number < 0 || number >= texture.levels) return 0;
  const isa::TextureLevel& level = texture.level[static_cast<u32>(number)];
  return query == isa::Texquery::width    ? level.width
         : query == isa::Texquery::height ? level.height
                                          : level.depth;
}

constexpr u32 property_of(const isa::Sampler& sampler, isa::Samplerquery query) {
  switch (query) {
    case isa::Samplerquery::force_unnormalized_coords:
      return sampler.force_unnormalized ? 1 : 0;
    case isa::Samplerquery::filter_mode:
      return static_cast<u32>(sampler.filter);
    case isa::Samplerquery::addr_mode_1:
      return static_cast<u32>(sampler.address[1]);
    case isa::Samplerquery::addr_mode_2:
      return static_cast<u32>(sampler.address[2]);
    default:
      return static_cast<u32>(sampler.address[0]);
  }
}

constexpr u32 property_of(const isa::Texture& surface, isa::Surfquery query) {
  switch (query) {
    case isa::Surfquery::width:
      return surface.level[0].width;
    case isa::Surfquery::height:
      return surface.level[0].height;
    case isa::Surfquery::depth:
      return surface.level[0].depth;
    case isa::Surfquery::channel_data_type:
      return channel_data_type(surface);
    case isa::Surfquery::channel_order:
      return channel_order(surface);
    case isa::Surfquery::array_size:
      return array_size(surface);
    default:  // memory_layout: 1 for rows one behind the other in linear memory
      return surface.linear ? 1 : 0;
  }
}

}  // namespace heddle::sem
