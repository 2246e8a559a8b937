// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texels in memory, and what becomes of their channels (PTX ISA 5.3, 9.7.10.3; driver API 6.13;
// docs/textures.md). A channel is read as a code: the bits of an integer; the value of floating
// point or sRGB, as f32; the integer of a normalized format, as f32. A filter mixes codes. What a
// lookup returns is the code, or for normalized formats the code divided by the greatest one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "isa/sem/half.h"
#include "isa/sem/lanes.h"
#include "isa/sem/texture_blocks.h"
#include "isa/texture.h"

namespace heddle::sem {

using isa::TexelFormat;
using isa::TexelReading;

inline constexpr u32 kChannels = 4;

/// A channel of each lane's texel.
using Channel = u32[kWarpSize];
/// All channels.
struct Texels {
  alignas(64) Channel code[kChannels];
};

/// Where a texel of each lane lies.
struct Places {
  alignas(64) u64 offset[kWarpSize];    ///< bytes from the level's first texel; of its block
  alignas(64) u32 in_block[kWarpSize];  ///< 4 * y + x; formats of blocks only
  u32 outside = 0;                      ///< lanes that get the border instead
};

constexpr u32 bytes_of(TexelFormat format) {
  switch (format) {
    case TexelFormat::u8:
    case TexelFormat::s8:
      return 1;
    case TexelFormat::u16:
    case TexelFormat::s16:
    case TexelFormat::f16:
      return 2;
    case TexelFormat::u32:
    case TexelFormat::s32:
    case TexelFormat::f32:
    case TexelFormat::u10_10_10_2:
      return 4;
    case TexelFormat::bc1:
    case TexelFormat::bc4_unsigned:
    case TexelFormat::bc4_signed:
      return 8;
    default:
      return 16;
  }
}
/// Bytes of a texel, or of a block of 4x4 texels.
constexpr u32 bytes_of(TexelFormat format, u32 channels) {
  const bool packed = format >= TexelFormat::u10_10_10_2;
  return bytes_of(format) * (packed ? 1 : channels);
}

/// The greatest code of a channel that is read as normalized; 0: the code is a value itself.
constexpr u32 greatest_code(TexelFormat format, TexelReading reading, u32 channel) {
  constexpr u32 kAlpha = 3;
  if (reading == TexelReading::bits || (reading == TexelReading::srgb && channel != kAlpha))
    return 0;
  switch (format) {
    case TexelFormat::u8:
      return 0xff;
    case TexelFormat::s8:
    case TexelFormat::bc4_signed:
    case TexelFormat::bc5_signed:
      return 0x7f;
    case TexelFormat::u16:
      return 0xffff;
    case TexelFormat::s16:
      return 0x7fff;
    case TexelFormat::u10_10_10_2:
      return channel == kAlpha ? 3 : 0x3ff;
    case TexelFormat::bc6h_unsigned:
    case TexelFormat::bc6h_signed:
      return 0;
    default:
      return 0xff;
  }
}
/// Whether a filter's result is a whole code divided by the greatest one.
constexpr bool rounds_to_code(TexelFormat format) {
  return format == TexelFormat::u16 || format == TexelFormat::s16;
}
/// Whether a lookup returns f32 values; else integers.
constexpr bool is_float(const isa::Texture& texture) {
  return texture.reading != TexelReading::bits || texture.format == TexelFormat::f16 ||
         texture.format == TexelFormat::f32 || isa::is_block_format(texture.format);
}

/// sRGB's value of an 8-bit code.
inline f32 decode_srgb(u32 code) {
  static const std::array<f32, 256> table = [] {
    std::array<f32, 256> values;
    for (u32 i = 0; i < values.size(); ++i) {
      const f64 c = i / 255.0;
      values[i] = static_cast<f32>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return values;
  }();
  return table[code & 0xff];
}

// --- reading ---

template <class Stored>
constexpr u32 code_bits(Stored stored) {
  if constexpr (std::is_same_v<Stored, f16>)
    return bits_of(widened(stored));
  else
    return static_cast<u32>(static_cast<s32>(stored));
}

template <class Stored, u32 kCount>
inline void read_channels(const u8* base, const Places& places, Texels& texels) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    Stored stored[kCount];
    std::memcpy(stored, base + places.offset[lane], sizeof stored);
    for (u32 c = 0; c < kCount; ++c) texels.code[c][lane] = code_bits(stored[c]);
  }
}
template <class Stored>
inline void read_channels(const u8* base, u32 count, const Places& places, Texels& texels) {
  if (count == 1) return read_channels<Stored, 1>(base, places, texels);
  if (count == 2) return read_channels<Stored, 2>(base, places, texels);
  read_channels<Stored, 4>(base, places, texels);
}

inline void read_packed(const u8* base, const Places& places, Texels& texels) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    u32 word = 0;
    std::memcpy(&word, base + places.offset[lane], sizeof word);
    for (u32 c = 0; c < kChannels; ++c)
      texels.code[c][lane] = word >> 10 * c & (c == 3 ? 3 : 0x3ff);
  }
}
/// Codes are f32 already.
inline void read_blocks(TexelFormat format, const u8* base, const Places& places, u32 lanes,
                        Texels& texels) {
  for_each_lane(lanes, [&](u32 lane) {
    f32 channels[kChannels] = {};
    const u32 at = places.in_block[lane];
    decode_block_texel(format, base + places.offset[lane], at % 4, at / 4, channels);
    for (u32 c = 0; c < kChannels; ++c) texels.code[c][lane] = bits_of(channels[c]);
  });
}

/// The codes of integers as f32.
inline void codes_to_f32(const isa::Texture& texture, Texels& texels) {
  for (u32 c = 0; c < texture.channels; ++c) {
    Channel& code = texels.code[c];
    const u32 greatest = greatest_code(texture.format, texture.reading, c);
    if (!greatest) {
      for (u32& one : code) one = bits_of(decode_srgb(one));
      continue;
    }
    // The least code of a signed format means as much as the one above it.
    const s32 least = -static_cast<s32>(greatest);
    for (u32& one : code) one = bits_of(static_cast<f32>(std::max(static_cast<s32>(one), least)));
  }
}

/// sRGB of a format of blocks, whose codes are f32.
inline void decode_srgb_blocks(Texels& texels) {
  for (u32 c = 0; c < 3; ++c)
    for (u32& one : texels.code[c]) one = bits_of(decode_srgb(static_cast<u32>(as_f32(one))));
}

/// The codes of the border's color.
inline void put_border(const isa::Texture& texture, const isa::Sampler& sampler, u32 outside,
                       Texels& texels) {
  for (u32 c = 0; c < texture.channels; ++c) {
    const u32 greatest = greatest_code(texture.format, texture.reading, c);
    const u32 color = sampler.border[c];
    const u32 code = greatest ? bits_of(as_f32(color) * static_cast<f32>(greatest)) : color;
    for_each_lane(outside, [&](u32 lane) { texels.code[c][lane] = code; });
  }
}

/// The texels at these places; `lanes`: the others may be left out.
inline void read_texels(const isa::Texture& texture, const isa::Sampler& sampler,
                        const isa::TextureLevel& level, const Places& places, u32 lanes,
                        Texels& texels) {
  const u8* base = reinterpret_cast<const u8*>(level.base);
  const u32 count = texture.channels;
  switch (texture.format) {
    case TexelFormat::u8:
      read_channels<u8>(base, count, places, texels);
      break;
    case TexelFormat::s8:
      read_channels<s8>(base, count, places, texels);
      break;
    case TexelFormat::u16:
      read_channels<u16>(base, count, places, texels);
      break;
    case TexelFormat::s16:
      read_channels<s16>(base, count, places, texels);
      break;
    case TexelFormat::u32:
    case TexelFormat::s32:
    case TexelFormat::f32:
      read_channels<u32>(base, count, places, texels);
      break;
    case TexelFormat::f16:
      read_channels<f16>(base, count, places, texels);
      break;
    case TexelFormat::u10_10_10_2:
      read_packed(base, places, texels);
      break;
    default:
      read_blocks(texture.format, base, places, lanes, texels);
  }
  if (texture.reading != TexelReading::bits) {
    if (!isa::is_block_format(texture.format))
      codes_to_f32(texture, texels);
    else if (texture.reading == TexelReading::srgb)
      decode_srgb_blocks(texels);
  }
  if (places.outside) put_border(texture, sampler, places.outside, texels);
}

// --- values ---

/// What the channels of a texture's codes mean.
struct Reading {
  u32 channels;
  std::array<u32, kChannels> greatest;  ///< see greatest_code()
  bool is_float;                        ///< lookups return f32 values; else integers
  bool rounds_to_code;                  ///< a filter's result is a whole code

  explicit constexpr Reading(const isa::Texture& texture)
      : channels(texture.channels),
        greatest{},
        is_float(sem::is_float(texture)),
        rounds_to_code(sem::rounds_to_code(texture.format)) {
    for (u32 c = 0; c < kChannels; ++c)
      greatest[c] = greatest_code(texture.format, texture.reading, c);
  }
  /// Of comparisons with a depth.
  static constexpr Reading comparison(Reading reading) {
    reading.channels = 1;
    reading.greatest[0] = 0;
    reading.is_float = true;
    return reading;
  }
};

/// Channels that a texel does not have: 0, and 1 for the last.
inline void fill_channels(const Reading& reading, Texels& texels) {
  for (u32 c = reading.channels; c < kChannels; ++c) {
    const u32 value = c < kChannels - 1 ? 0 : reading.is_float ? bits_of(1.0f) : 1;
    for (u32& one : texels.code[c]) one = value;
  }
}

/// What a lookup without filter returns for these codes.
inline void values_of_codes(const Reading& reading, Texels& texels) {
  for (u32 c = 0; c < reading.channels; ++c) {
    const auto greatest = static_cast<f32>(reading.greatest[c]);
    if (!reading.greatest[c]) continue;
    for (u32& one : texels.code[c]) one = bits_of(as_f32(one) / greatest);
  }
  fill_channels(reading, texels);
}

/// The codes of the first channel become whether the reference is at most the texel: 1 or 0.
inline void compare_depth(const Reading& reading, const u32* reference, Texels& texels) {
  const f32 greatest = reading.greatest[0] ? static_cast<f32>(reading.greatest[0]) : 1.0f;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const f32 value = as_f32(texels.code[0][lane]) / greatest;
    texels.code[0][lane] = bits_of(as_f32(reference[lane]) <= value ? 1.0f : 0.0f);
  }
}

/// A mean of texels with weights. A texel without weight counts as 0, also if it is infinite.
class WeightedSum {
 public:
  void add(u32 channels, const Texels& texels, const f64 (&weight)[kWarpSize]) {
    for (u32 c = 0; c < channels; ++c)
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        const f64 part = weight[lane] * f64{as_f32(texels.code[c][lane])};
        sum_[c][lane] += weight[lane] == 0 ? 0 : part;
      }
  }
  /// What a lookup returns.
  void values(const Reading& reading, Texels& out) const {
    for (u32 c = 0; c < reading.channels; ++c) {
      const f64 greatest = reading.greatest[c];
      for (u32 lane = 0; lane < kWarpSize; ++lane) {
        f64 mean = sum_[c][lane];
        if (reading.greatest[c])
          mean = (reading.rounds_to_code ? std::floor(mean + 0.5) : mean) / greatest;
        out.code[c][lane] = bits_of(static_cast<f32>(mean));
      }
    }
    fill_channels(reading, out);
  }

 private:
  alignas(64) f64 sum_[kChannels][kWarpSize] = {};
};

}  // namespace heddle::sem
