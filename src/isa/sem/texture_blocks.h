// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One texel of a block of a block-compressed texture (Direct3D 11.3 functional specification,
// 19.5). BC1 to BC5 are here; texture_bc6h.h and texture_bc7.h have the formats with many modes.
// All bytes are valid blocks.
#pragma once

#include <cmath>
#include <cstring>

#include "isa/sem/texture_bc6h.h"
#include "isa/sem/texture_bc7.h"
#include "isa/texture.h"

namespace heddle::sem {

inline u64 half_block(const u8* block) {
  u64 bits;
  std::memcpy(&bits, block, sizeof bits);
  return bits;
}

/// A block of BC1, or the colours of BC2 and BC3: two endpoints of 5, 6 and 5 bits and 16 indices.
/// The endpoints are widened to 8 bits by their own high bits; a mean of them is rounded to the
/// nearest whole code. If `has_black` and the first endpoint is not the larger one, index 3 is
/// transparent black.
inline void decode_colors(u64 block, bool has_black, u32 texel, f32 (&channel)[4]) {
  // What the second endpoint weighs, in sixths.
  constexpr u32 kThirds[4] = {0, 6, 2, 4}, kHalf[4] = {0, 6, 3, 0};
  const u32 first = block & 0xffff, second = block >> 16 & 0xffff;
  const u32 index = block >> (32 + 2 * texel) & 3;
  const bool thirds = !has_black || first > second;
  const bool black = !thirds && index == 3;
  const u32 weight = thirds ? kThirds[index] : kHalf[index];
  for (u32 c = 0; c < 3; ++c) {
    const auto widened_code = [c](u32 color) {
      const u32 width = c == 1 ? 6 : 5, shift = c == 0 ? 11 : c == 1 ? 5 : 0;
      const u32 high = (color >> shift & ((1u << width) - 1)) << (8 - width);
      return high | high >> width;
    };
    const u32 sum = widened_code(first) * (6 - weight) + widened_code(second) * weight;
    const u32 rounded = (sum + 3) / 6;
    channel[c] = black ? 0 : static_cast<f32>(rounded);
  }
  channel[3] = black ? 0 : 255;
}

/// A block of BC4: two endpoints of 8 bits and 16 indices of 3 bits. Interpolated codes are not
/// whole numbers. The endpoints are compared before -128 becomes -127.
inline f32 decode_code(u64 block, bool is_signed, u32 texel) {
  const auto code = [&](u64 bits) {
    return is_signed ? s32{static_cast<s8>(bits)} : s32{static_cast<u8>(bits)};
  };
  const auto widened_code = [](s32 code) { return code < -127 ? -127 : code; };
  const s32 first = code(block), second = code(block >> 8);
  const s32 index = static_cast<s32>(block >> (16 + 3 * texel) & 7);
  const s32 steps = first > second ? 7 : 5;
  if (index > steps) return index == 7 ? (is_signed ? 127 : 255) : (is_signed ? -127 : 0);
  const s32 weight = index == 0 ? 0 : index == 1 ? steps : index - 1;
  const s32 sum = widened_code(first) * (steps - weight) + widened_code(second) * weight;
  return static_cast<f32>(sum) / static_cast<f32>(steps);
}

/// The texel at (x, y) of a block of 4x4; x and y are below 4. The block has 8 bytes for BC1 and
/// BC4, 16 for the other formats. Channels are codes: 0 to 255, -127 to 127 for signed formats;
/// BC6H gives the values themselves. Channels that the format lacks are not written: G, B and A for
/// BC4, B and A for BC5, A for BC6H.
inline void decode_block_texel(isa::TexelFormat format, const u8* block, u32 x, u32 y,
                               f32 (&channel)[4]) {
  using Format = isa::TexelFormat;
  const u32 texel = 4 * y + x;
  switch (format) {
    case Format::bc1:
      return decode_colors(half_block(block), true, texel, channel);
    case Format::bc2:
      decode_colors(half_block(block + 8), false, texel, channel);
      channel[3] = static_cast<f32>((half_block(block) >> 4 * texel & 15) * 17);
      return;
    case Format::bc3:
      decode_colors(half_block(block + 8), false, texel, channel);
      // The nearest whole code; sevenths and fifths are never in the middle.
      channel[3] = std::floor(decode_code(half_block(block), false, texel) + 0.5f);
      return;
    case Format::bc5_unsigned:
    case Format::bc5_signed:
      channel[1] = decode_code(half_block(block + 8), format == Format::bc5_signed, texel);
      [[fallthrough]];
    case Format::bc4_unsigned:
    case Format::bc4_signed:
      channel[0] = decode_code(half_block(block),
                               format == Format::bc4_signed || format == Format::bc5_signed, texel);
      return;
    case Format::bc6h_unsigned:
    case Format::bc6h_signed:
      return decode_bc6h(block, format == Format::bc6h_signed, texel, channel);
    case Format::bc7:
      return decode_bc7(block, texel, channel);
    default:
      return;
  }
}

}  // namespace heddle::sem
