// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tex, tld4, txq and the surface instructions know of textures, samplers and surfaces (PTX ISA
// 5.3, 9.7.10, 9.7.11). The driver makes these values, and they do not change; instructions find
// them by handles. A handle is the value of a texture or surface object of the driver, and the
// address of a .texref, .samplerref or .surfref variable.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "base/types.h"

namespace heddle::isa {

/// How one channel of a texel lies in memory, or a block of 4x4 texels.
enum class TexelFormat : u8 {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  f16,
  f32,
  u10_10_10_2,  ///< one word has four channels: R in bits 0 to 9, A in bits 30 and 31
  bc1,
  bc2,
  bc3,
  bc4_unsigned,
  bc4_signed,
  bc5_unsigned,
  bc5_signed,
  bc6h_unsigned,
  bc6h_signed,
  bc7,
};
constexpr bool is_block_format(TexelFormat format) { return format >= TexelFormat::bc1; }

/// What a lookup makes of a channel.
enum class TexelReading : u8 {
  bits,        ///< integers with their sign or zeros in front; floating point as f32
  normalized,  ///< f32 between 0 and 1, or -1 and 1
  srgb,        ///< as normalized; R, G and B are decoded from sRGB
};

/// One level of a texture. Layers and faces are slices.
struct TextureLevel {
  u64 base = 0;  ///< host address of the first texel
  u32 width = 1, height = 1, depth = 1;
  u64 pitch = 0;  ///< bytes from a row (of blocks) to the next
  u64 slice = 0;  ///< bytes from a slice to the next
};

inline constexpr u32 kMostTextureLevels = 18;  ///< a width of 131,072 texels halved down to 1

struct Texture {
  TexelFormat format = TexelFormat::u8;
  TexelReading reading = TexelReading::bits;
  u8 channels = 1;  ///< of a texel: 1, 2 or 4; of BC6H 3
  u8 levels = 1;    ///< of the view
  bool mipmapped = false;
  bool layered = false, cube = false;
  bool linear = false;  ///< made of linear memory, by width alone
  u32 dimensions = 1;
  u32 layers = 1;  ///< slices of a layered texture or of cubes: six for each cube
  std::array<TextureLevel, kMostTextureLevels> level;
};

enum class AddressMode : u8 { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border };
enum class TextureFilter : u8 { nearest, linear };

struct Sampler {
  std::array<AddressMode, 3> address = {AddressMode::clamp_to_edge, AddressMode::clamp_to_edge,
                                        AddressMode::clamp_to_edge};
  TextureFilter filter = TextureFilter::nearest, mip_filter = TextureFilter::nearest;
  bool normalized = false;          ///< coordinates are 0 to 1
  bool force_unnormalized = false;  ///< of a .samplerref: overrides `normalized` of the texture
  bool seamless = false;            ///< linear lookups cross the edges of a cube
  u8 anisotropy = 1;                ///< samples at most: 1, 2, 4, 6, 8, 10, 12 or 16
  s16 bias = 0;                     ///< of the level of detail, in units of 1/256
  u16 least = 0, most = 0;          ///< of the level of detail, in units of 1/256
  std::array<u32, 4> border =
      {};  ///< the bits of f32 values, or integers where texels are integers
};

/// What a handle stands for. A texture object has a sampler of its own. In a module with
/// `texmode_independent`, a .texref has a texture and a .samplerref a sampler.
struct TextureObject {
  enum class Kind : u8 { texture, sampler, surface };
  Kind kind = Kind::texture;
  bool bound = false;  ///< a .texref or .surfref whose memory has been set; always, of an object
  Texture texture;     ///< of a surface: level 0
  Sampler sampler;
  std::string name;  ///< of the variable; empty: an object of the driver
};

/// All handles of a device, for lookups without a lock. A handle is an address in one of two ranges
/// that have no memory behind them; one of them lies below 4 GiB, for modules with 32-bit
/// addresses.
struct TextureHandles {
  static constexpr u64 kStep = 8;  ///< between handles; the size of an opaque variable
  struct Range {
    u64 base = 0;
    u64 count = 0;
    std::atomic<const TextureObject*>* objects = nullptr;
  };
  std::array<Range, 2> ranges;

  /// Where the object of a handle is kept; null: it is no handle.
  std::atomic<const TextureObject*>* slot(u64 handle) const {
    for (const Range& range : ranges) {
      const u64 index = (handle - range.base) / kStep;
      if (handle >= range.base && index < range.count && (handle - range.base) % kStep == 0)
        return range.objects + index;
    }
    return nullptr;
  }
  /// Null: the handle is none, or its object is gone.
  const TextureObject* find(u64 handle) const {
    const auto* place = slot(handle);
    return place ? place->load(std::memory_order_acquire) : nullptr;
  }
};

}  // namespace heddle::isa
