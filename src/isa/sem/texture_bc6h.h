// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BC6H: blocks of three f16 channels in fourteen modes (Direct3D 11.3 functional specification,
// 19.5.13).
#pragma once

#include <array>
#include <string_view>

#include "isa/sem/half.h"
#include "isa/sem/texture_partitions.h"

namespace heddle::sem {

/// Where each bit of the endpoints lies in a block: `place[i]` is for bit i behind the number of
/// the mode.
struct Bc6hLayout {
  struct Place {
    u8 endpoint, channel, bit;
  };
  std::array<Place, 75> place = {};
  u32 count = 0;

  /// The notation of the specification. RW, GW and BW are the channels of the first endpoint of
  /// subset 0, RX of its second endpoint, RY and RZ of the endpoints of subset 1. "RW9:0" are bits
  /// 0 to 9 in ascending order, "RW10:11" bit 11 and then bit 10.
  consteval explicit Bc6hLayout(std::string_view text) {
    const auto number = [&] {
      u32 value = 0;
      for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
        value = 10 * value + static_cast<u32>(text[0] - '0');
      return value;
    };
    while (!text.empty()) {
      const u8 channel = static_cast<u8>(text[0] == 'R' ? 0 : text[0] == 'G' ? 1 : 2);
      const u8 endpoint = static_cast<u8>(text[1] - 'W');
      text.remove_prefix(2);
      const u32 last = number();
      u32 first = last;
      if (!text.empty() && text[0] == ':') {
        text.remove_prefix(1);
        first = number();
      }
      const u32 bits = (first < last ? last - first : first - last) + 1;
      for (u32 i = 0; i < bits; ++i)
        place[count++] = {endpoint, channel, static_cast<u8>(first < last ? first + i : first - i)};
      while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    }
  }
};

inline constexpr Bc6hLayout kBc6hLayouts[14] = {
    Bc6hLayout("GY4 BY4 BZ4 RW9:0 GW9:0 BW9:0 RX4:0 GZ4 GY3:0 GX4:0 BZ0 GZ3:0 BX4:0 BZ1 BY3:0 "
               "RY4:0 BZ2 RZ4:0 BZ3"),
    Bc6hLayout("GY5 GZ4 GZ5 RW6:0 BZ0 BZ1 BY4 GW6:0 BY5 BZ2 GY4 BW6:0 BZ3 BZ5 BZ4 RX5:0 GY3:0 "
               "GX5:0 GZ3:0 BX5:0 BY3:0 RY5:0 RZ5:0"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX4:0 RW10 GY3:0 GX3:0 GW10 BZ0 GZ3:0 BX3:0 BW10 BZ1 BY3:0 RY4:0 "
               "BZ2 RZ4:0 BZ3"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX3:0 RW10 GZ4 GY3:0 GX4:0 GW10 GZ3:0 BX3:0 BW10 BZ1 BY3:0 RY3:0 "
               "BZ0 BZ2 RZ3:0 GY4 BZ3"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX3:0 RW10 BY4 GY3:0 GX3:0 GW10 BZ0 GZ3:0 BX4:0 BW10 BY3:0 RY3:0 "
               "BZ1 BZ2 RZ3:0 BZ4 BZ3"),
    Bc6hLayout("RW8:0 BY4 GW8:0 GY4 BW8:0 BZ4 RX4:0 GZ4 GY3:0 GX4:0 BZ0 GZ3:0 BX4:0 BZ1 BY3:0 "
               "RY4:0 BZ2 RZ4:0 BZ3"),
    Bc6hLayout("RW7:0 GZ4 BY4 GW7:0 BZ2 GY4 BW7:0 BZ3 BZ4 RX5:0 GY3:0 GX4:0 BZ0 GZ3:0 BX4:0 BZ1 "
               "BY3:0 RY5:0 RZ5:0"),
    Bc6hLayout("RW7:0 BZ0 BY4 GW7:0 GY5 GY4 BW7:0 GZ5 BZ4 RX4:0 GZ4 GY3:0 GX5:0 GZ3:0 BX4:0 BZ1 "
               "BY3:0 RY4:0 BZ2 RZ4:0 BZ3"),
    Bc6hLayout("RW7:0 BZ1 BY4 GW7:0 BY5 GY4 BW7:0 BZ5 BZ4 RX4:0 GZ4 GY3:0 GX4:0 BZ0 GZ3:0 BX5:0 "
               "BY3:0 RY4:0 BZ2 RZ4:0 BZ3"),
    Bc6hLayout("RW5:0 GZ4 BZ0 BZ1 BY4 GW5:0 GY5 BY5 BZ2 GY4 BW5:0 GZ5 BZ3 BZ5 BZ4 RX5:0 GY3:0 "
               "GX5:0 GZ3:0 BX5:0 BY3:0 RY5:0 RZ5:0"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX9:0 GX9:0 BX9:0"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX8:0 RW10 GX8:0 GW10 BX8:0 BW10"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX7:0 RW10:11 GX7:0 GW10:11 BX7:0 BW10:11"),
    Bc6hLayout("RW9:0 GW9:0 BW9:0 RX3:0 RW10:15 GX3:0 GW10:15 BX3:0 BW10:15"),
};

struct Bc6hMode {
  u8 subsets;
  bool deltas;   ///< all endpoints but the first are differences from the first
  u8 precision;  ///< bits of a channel of the first endpoint
  u8 delta[3];   ///< bits of a channel of the other endpoints
};
inline constexpr Bc6hMode kBc6hModes[14] = {
    {2, true, 10, {5, 5, 5}}, {2, true, 7, {6, 6, 6}},      {2, true, 11, {5, 4, 4}},
    {2, true, 11, {4, 5, 4}}, {2, true, 11, {4, 4, 5}},     {2, true, 9, {5, 5, 5}},
    {2, true, 8, {6, 5, 5}},  {2, true, 8, {5, 6, 5}},      {2, true, 8, {5, 5, 6}},
    {2, false, 6, {6, 6, 6}}, {1, false, 10, {10, 10, 10}}, {1, true, 11, {9, 9, 9}},
    {1, true, 12, {8, 8, 8}}, {1, true, 16, {4, 4, 4}}};

/// Two modes have numbers of two bits, 0 and 1. The others have five bits: two subsets end in 2,
/// one in 3. The row of the tables, or at least 14 for a reserved number.
constexpr u32 bc6h_row(u32 number) {
  const u32 kind = number & 3;
  return kind < 2 ? kind : (kind == 2 ? 2 : 10) + (number >> 2);
}

constexpr s32 sign_extended(s32 value, u32 bits) {
  const s32 sign = s32{1} << (bits - 1);
  return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/// A channel of an endpoint as a number of 16 bits and, if `is_signed`, a sign.
constexpr s32 bc6h_unquantized(s32 code, u32 precision, bool is_signed) {
  if (precision == 16 || code == 0) return code;
  if (!is_signed)
    return code == (1 << precision) - 1 ? 0xffff : ((code << 16) + 0x8000) >> precision;
  const s32 magnitude = code < 0 ? -code : code;
  const u32 bits = precision - 1;
  const s32 wide = magnitude >= (1 << bits) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> bits;
  return code < 0 ? -wide : wide;
}

/// Texel `texel` of 16: R, G and B. Zeros for a reserved mode.
inline void decode_bc6h(const u8* block, bool is_signed, u32 texel, f32 (&channel)[4]) {
  BlockBits bits(block);
  const u32 row = bc6h_row(bits.peek(5));
  if (row >= std::size(kBc6hModes)) {
    for (u32 c = 0; c < 3; ++c) channel[c] = 0;
    return;
  }
  const Bc6hMode& mode = kBc6hModes[row];
  bits.skip(row < 2 ? 2 : 5);
  s32 endpoint[4][3] = {};
  const Bc6hLayout& layout = kBc6hLayouts[row];
  for (u32 i = 0; i < layout.count; ++i) {
    const auto [e, c, bit] = layout.place[i];
    endpoint[e][c] |= static_cast<s32>(bits.take(1)) << bit;
  }
  const Partition partition = {mode.subsets, bits.take(mode.subsets == 2 ? 5 : 0)};
  const u32 width = mode.subsets == 2 ? 3 : 4;
  const u32 index = index_of(bits, texel, width, partition);
  const u32 first = 2 * partition.subset_of(texel);
  for (u32 c = 0; c < 3; ++c) {
    const auto wide = [&](u32 e) {
      s32 code = endpoint[e][c];
      if (mode.deltas && e > 0)
        code = (endpoint[0][c] + sign_extended(code, mode.delta[c])) & ((1 << mode.precision) - 1);
      if (is_signed) code = sign_extended(code, mode.precision);
      return bc6h_unquantized(code, mode.precision, is_signed);
    };
    const s32 number = interpolated(wide(first), wide(first + 1), index, width);
    // The bits of an f16; 31/32 of a magnitude is never that of a NaN.
    const s32 magnitude = (number < 0 ? -number : number) * 31 >> (is_signed ? 5 : 6);
    channel[c] = widened(f16{static_cast<u16>(magnitude | (number < 0 ? 0x8000 : 0))});
  }
}

}  // namespace heddle::sem
