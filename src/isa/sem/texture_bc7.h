// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BC7: blocks of RGB or RGBA in eight modes (Direct3D 11.3 functional specification, 19.5.14).
#pragma once

#include <utility>

#include "isa/sem/texture_partitions.h"

namespace heddle::sem {

/// The fields of a mode, in their order in a block behind the number of the mode in unary. Numbers
/// of bits, unless something else is said.
struct Bc7Mode {
  u8 subsets;       ///< a count
  u8 shape;         ///< of the partition
  u8 rotation;      ///< which channel is exchanged with A
  u8 selector;      ///< 1: says which indices are those of the colours
  u8 color, alpha;  ///< of a channel of an endpoint, without its lowest bit where that is shared
  u8 endpoints_of_bit;  ///< 0; or how many endpoints share a lowest bit of all channels
  u8 index, second_index;
};
inline constexpr Bc7Mode kBc7Modes[8] = {{3, 4, 0, 0, 4, 0, 1, 3, 0}, {2, 6, 0, 0, 6, 0, 2, 3, 0},
                                         {3, 6, 0, 0, 5, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 2, 0},
                                         {1, 0, 2, 1, 5, 6, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 2, 2},
                                         {1, 0, 0, 0, 7, 7, 1, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 2, 0}};

/// Texel `texel` of 16 as R, G, B, A codes of 0 to 255; zeros for the reserved mode.
inline void decode_bc7(const u8* block, u32 texel, f32 (&channel)[4]) {
  BlockBits bits(block);
  const u32 number = static_cast<u32>(std::countr_zero(bits.peek(8) | 0x100));
  if (number == std::size(kBc7Modes)) {
    for (f32& code : channel) code = 0;
    return;
  }
  const Bc7Mode& mode = kBc7Modes[number];
  bits.skip(number + 1);
  const Partition partition = {mode.subsets, bits.take(mode.shape)};
  const u32 rotation = bits.take(mode.rotation);
  const bool second_is_color = bits.take(mode.selector) != 0;

  u32 endpoint[6][4] = {};
  const u32 endpoints = 2 * mode.subsets;
  for (u32 c = 0; c < 4; ++c)
    for (u32 e = 0; e < endpoints; ++e) endpoint[e][c] = bits.take(c < 3 ? mode.color : mode.alpha);
  if (mode.endpoints_of_bit != 0) {
    for (u32 e = 0; e < endpoints; e += mode.endpoints_of_bit) {
      const u32 lowest = bits.take(1);
      for (u32 shared = 0; shared < mode.endpoints_of_bit; ++shared)
        for (u32& code : endpoint[e + shared]) code = code << 1 | lowest;
    }
  }

  u32 index = index_of(bits, texel, mode.index, partition), width = mode.index;
  u32 alpha_index = index, alpha_width = width;
  if (mode.second_index != 0) {
    bits.skip(16 * mode.index - mode.subsets);
    alpha_width = mode.second_index;
    alpha_index = index_of(bits, texel, alpha_width, {});
    if (second_is_color) {
      std::swap(index, alpha_index);
      std::swap(width, alpha_width);
    }
  }

  const u32 first = 2 * partition.subset_of(texel);
  for (u32 c = 0; c < 4; ++c) {
    const u32 precision = (c < 3 ? mode.color : mode.alpha) + (mode.endpoints_of_bit != 0);
    const auto as_8_bits = [&](u32 code) {
      const u32 high = code << (8 - precision);
      return static_cast<s32>(high | high >> precision);
    };
    const s32 code = interpolated(as_8_bits(endpoint[first][c]), as_8_bits(endpoint[first + 1][c]),
                                  c < 3 ? index : alpha_index, c < 3 ? width : alpha_width);
    channel[c] = c == 3 && mode.alpha == 0 ? 255 : static_cast<f32>(code);
  }
  if (rotation != 0) std::swap(channel[rotation - 1], channel[3]);
}

}  // namespace heddle::sem
