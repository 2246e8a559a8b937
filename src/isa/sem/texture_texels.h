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
#include "isa/sem/texture_blocks.h"
#include "isa/sem/vectors.h"
#include "isa/texture.h"

namespace heddle::sem {

using isa::TexelFormat;
using isa::TexelReading;

inline constexpr u32 kChannels = 4;

/// The channels of the lanes' texels: codes, or values.
using Codes = u32x32[kChannels];

/// Where a texel of each lane lies.
struct Places {
  alignas(64) u64 offset[kWarpSize];    ///< bytes from the level's first texel; of its block
  alignas(64) u32 in_block[kWarpSize];  ///< 4 * y + x; formats of blocks only
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
constexpr bool is_float(TexelFormat format, TexelReading reading) {
  return reading != TexelReading::bits || format == TexelFormat::f16 ||
         format == TexelFormat::f32 || isa::is_block_format(format);
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

template <class Stored>
inline void read_channels(const u8* base, u32 count, const Places& places, Codes& codes) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    Stored stored[kChannels];
    std::memcpy(stored, base + places.offset[lane], count * sizeof(Stored));
    for (u32 c = 0; c < count; ++c) codes[c][lane] = code_bits(stored[c]);
  }
}
inline void read_packed(const u8* base, const Places& places, Codes& codes) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    u32 word = 0;
    std::memcpy(&word, base + places.offset[lane], sizeof word);
    for (u32 c = 0; c < kChannels; ++c) codes[c][lane] = word >> 10 * c & (c == 3 ? 3 : 0x3ff);
  }
}
/// Codes are f32 already.
inline void read_blocks(TexelFormat format, const u8* base, const Places& places, Codes& codes) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    f32 channels[kChannels] = {};
    const u32 at = places.in_block[lane];
    decode_block_texel(format, base + places.offset[lane], at % 4, at / 4, channels);
    for (u32 c = 0; c < kChannels; ++c) codes[c][lane] = bits_of(channels[c]);
  }
}

/// sRGB's channels as values, the integers of a normalized format as f32.
inline void codes_to_f32(const isa::Texture& texture, Codes& codes) {
  const bool blocks = isa::is_block_format(texture.format);
  for (u32 c = 0; c < texture.channels; ++c) {
    const u32 greatest = greatest_code(texture.format, texture.reading, c);
    if (greatest && !blocks) {
      // The least code of a signed format means as much as the one above it.
      const s32x32 least = s32x32{} - static_cast<s32>(greatest);
      codes[c] = as<u32x32>(convert<f32x32>(max(as<s32x32>(codes[c]), least)));
    }
    for (u32 lane = 0; !greatest && texture.reading == TexelReading::srgb && lane < kWarpSize;
         ++lane) {
      const u32 code = codes[c][lane];
      codes[c][lane] = bits_of(decode_srgb(blocks ? static_cast<u32>(as_f32(code)) : code));
    }
  }
}

/// The codes of texels of any format.
inline void read_codes(const isa::Texture& texture, const u8* base, const Places& places,
                       Codes& codes) {
  const u32 count = texture.channels;
  switch (texture.format) {
    case TexelFormat::u8:
      read_channels<u8>(base, count, places, codes);
      break;
    case TexelFormat::s8:
      read_channels<s8>(base, count, places, codes);
      break;
    case TexelFormat::u16:
      read_channels<u16>(base, count, places, codes);
      break;
    case TexelFormat::s16:
      read_channels<s16>(base, count, places, codes);
      break;
    case TexelFormat::u32:
    case TexelFormat::s32:
    case TexelFormat::f32:
      read_channels<u32>(base, count, places, codes);
      break;
    case TexelFormat::f16:
      read_channels<f16>(base, count, places, codes);
      break;
    case TexelFormat::u10_10_10_2:
      read_packed(base, places, codes);
      break;
    default:
      read_blocks(texture.format, base, places, codes);
  }
  if (texture.reading != TexelReading::bits) codes_to_f32(texture, codes);
}

// --- values ---

/// What the channels of a texture's codes mean.
struct Reading {
  u32 channels;
  std::array<u32, kChannels> greatest;  ///< see greatest_code()
  bool is_float;                        ///< lookups return f32 values; else integers
  bool rounds_to_code;                  ///< a filter's result is a whole code

  constexpr Reading(TexelFormat format, TexelReading reading, u32 channels_of_texel)
      : channels(channels_of_texel),
        greatest{},
        is_float(sem::is_float(format, reading)),
        rounds_to_code(sem::rounds_to_code(format)) {
    for (u32 c = 0; c < kChannels; ++c) greatest[c] = greatest_code(format, reading, c);
  }
};
/// Of the results of comparisons with a depth.
inline constexpr Reading kCompared(TexelFormat::f32, TexelReading::bits, 1);

/// The codes of the border's color.
inline void put_border(const Reading& reading, const isa::Sampler& sampler, s32x32 outside,
                       Codes& codes) {
  for (u32 c = 0; c < reading.channels; ++c) {
    const u32 color = sampler.border[c], greatest = reading.greatest[c];
    const u32 code = greatest ? bits_of(as_f32(color) * static_cast<f32>(greatest)) : color;
    codes[c] = outside ? u32x32{} + code : codes[c];
  }
}

/// Channels that a texel does not have: 0, and 1 for the last.
inline void fill_channels(const Reading& reading, Codes& values) {
  const u32 one = reading.is_float ? bits_of(1.0f) : 1;
  for (u32 c = reading.channels; c < kChannels; ++c)
    values[c] = u32x32{} + (c == kChannels - 1 ? one : 0);
}

/// What a lookup without filter returns for these codes.
inline void values_of_codes(const Reading& reading, Codes& codes) {
  for (u32 c = 0; c < reading.channels; ++c) {
    if (reading.greatest[c])
      codes[c] = as<u32x32>(as<f32x32>(codes[c]) / static_cast<f32>(reading.greatest[c]));
  }
  fill_channels(reading, codes);
}

/// The codes of the first channel become whether the reference is at most the texel: 1 or 0.
inline void compare_depth(const Reading& reading, f32x32 reference, Codes& codes) {
  const f32 greatest = reading.greatest[0] ? static_cast<f32>(reading.greatest[0]) : 1.0f;
  const f32x32 value = as<f32x32>(codes[0]) / greatest;
  codes[0] = reference <= value ? u32x32{} + bits_of(1.0f) : u32x32{};
}

}  // namespace heddle::sem
