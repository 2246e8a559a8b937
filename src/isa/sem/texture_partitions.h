// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the block formats BC6H and BC7 share: the bits of a block, the partitions of its 4x4 texels
// into subsets with endpoints of their own, and the weights of indices (Direct3D 11.3 functional
// specification, 19.5.13 and 19.5.14).
#pragma once

#include <cstring>

#include "isa/sem/types.h"

namespace heddle::sem {

/// The fields of a block of 16 bytes, from its lowest bit on.
class BlockBits {
 public:
  explicit BlockBits(const u8* block) {
    std::memcpy(&low_, block, sizeof low_);
    std::memcpy(&high_, block + sizeof low_, sizeof high_);
  }
  u32 peek(u32 count) const { return static_cast<u32>(low_) & ((1u << count) - 1); }
  u32 take(u32 count) {
    const u32 field = peek(count);
    skip(count);
    return field;
  }
  /// `count` is below 64.
  void skip(u32 count) {
    if (count == 0) return;
    low_ = low_ >> count | high_ << (64 - count);
    high_ >>= count;
  }

 private:
  u64 low_, high_;
};

/// Bit i: the subset of texel i, in each of the shapes with two subsets. BC6H has the first 32.
inline constexpr u16 kTwoSubsets[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
/// Bits 2i and 2i + 1: the subset of texel i, in each of the shapes with three subsets.
inline constexpr u32 kThreeSubsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};

/// The anchor of a subset is the texel whose index lacks its highest bit, which is 0. The anchor of
/// the first subset is texel 0; these are the anchors of the second of two subsets, and of the
/// second and third of three.
inline constexpr u8 kAnchorOfTwo[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2, 2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8, 2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15};
inline constexpr u8 kSecondAnchor[64] = {
    3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
    6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
    15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3};
inline constexpr u8 kThirdAnchor[64] = {
    15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
    15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
    3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8};

/// The texels of a block in one, two or three subsets.
struct Partition {
  u32 subsets = 1;
  u32 shape = 0;  ///< below 64

  u32 subset_of(u32 texel) const {
    switch (subsets) {
      case 1:
        return 0;
      case 2:
        return kTwoSubsets[shape] >> texel & 1;
      default:
        return kThreeSubsets[shape] >> 2 * texel & 3;
    }
  }
  bool is_anchor(u32 texel) const {
    switch (texel == 0 ? 1 : subsets) {
      case 1:
        return texel == 0;
      case 2:
        return texel == kAnchorOfTwo[shape];
      default:
        return texel == kSecondAnchor[shape] || texel == kThirdAnchor[shape];
    }
  }
};

/// The index of `texel`. `bits` begins with the indices of a block, which have `width` bits each.
inline u32 index_of(BlockBits bits, u32 texel, u32 width, Partition partition) {
  for (u32 before = 0; before < texel; ++before) bits.skip(width - partition.is_anchor(before));
  return bits.take(width - partition.is_anchor(texel));
}

/// The mean of two endpoints, where an index of `width` bits says how much the second one weighs.
constexpr s32 interpolated(s32 first, s32 second, u32 index, u32 width) {
  constexpr u8 kWeights[3][16] = {{0, 21, 43, 64},
                                  {0, 9, 18, 27, 37, 46, 55, 64},
                                  {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
  const s32 weight = kWeights[width - 2][index];
  return (first * (64 - weight) + second * weight + 32) >> 6;
}

}  // namespace heddle::sem
