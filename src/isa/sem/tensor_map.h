// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps (PTX ISA 5.5, 5.5.8): an object of 128 bytes that describes a tensor in global memory
// and the box of it that one instruction copies. Programs copy the object freely, so it holds
// everything; its layout is Heddle's own:
//
//     word 0     address of the tensor
//     word 1     bits 0-2 rank - 1, 3-5 mode, 6-9 type, 10-11 interleave, 12-14 swizzle mode,
//                15-16 swizzle atomicity, 17 fill, 18-19 promotion; 24-63 five strides of elements
//     words 2-4  five dimensions - 1 (32 bits each), then 32 bits of 0
//     words 5-8  four strides in bytes
//     word 9-    five dimensions of the box, three lower corners (W, H, D), three upper corners,
//                channels, pixels (16 bits each); the rest is 0
//
// Two habits of programs shape it. Triton fills 128 bytes with zeros and then sets the fields of a
// tiled map by tensormap.replace, so zeros stand for the usual choices. CUTLASS clears bit 21 of
// word 1 in maps of small tensors, so that bit means nothing.
#pragma once

#include "isa/groups.h"
#include "isa/sem/swizzle.h"

namespace heddle::sem {

inline constexpr u32 kTensorMapBytes = 128, kTensorMapAlignment = 64;
inline constexpr u32 kMostTensorRank = 5, kMostSpatialRank = 3;

/// Types of elements, with the numbers of tensormap.replace (9.7.9.28, table 33).
enum class TensorType : u8 {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f32_ftz,
  f64,
  bf16,
  tf32,
  tf32_ftz,
  b4x16,
  b4x16_p64,
  b6x16,  ///< .b6x16_p32 of loads, .b6p2x16 of stores
};

constexpr u32 element_bits(TensorType type) {
  constexpr u8 kBits[] = {8, 16, 32, 32, 64, 64, 16, 32, 32, 64, 16, 32, 32, 4, 4, 6};
  return kBits[static_cast<u8>(type)];
}
/// Sixteen elements take 16 bytes in shared memory, and 8 or 12 bytes in global memory (5.5.1.1).
constexpr bool is_padded(TensorType type) {
  return type == TensorType::b4x16_p64 || type == TensorType::b6x16;
}
constexpr bool is_sub_byte(TensorType type) { return type >= TensorType::b4x16; }
constexpr bool is_float(TensorType type) {
  return (type >= TensorType::f16 && type <= TensorType::tf32_ftz);
}
constexpr u32 bytes_in_global(TensorType type, u32 elements) {
  return elements * element_bits(type) / 8;
}
constexpr u32 bytes_in_shared(TensorType type, u32 elements) {
  return is_padded(type) ? elements : bytes_in_global(type, elements);
}

/// The instructions that a map is for (5.5.2).
enum class TensorMode : u8 { tile, im2col, im2col_w, im2col_w_128 };

enum class TensorSwizzle : u8 { none, b32, b64, b128, b96 };
enum class SwizzleAtom : u8 { b16, b32, b32_flip_8b, b64 };

/// A map, taken apart. Dimension 0 is the one whose elements are neighbours.
struct TensorMap {
  u64 address = 0;
  TensorMode mode = TensorMode::tile;
  TensorType type = TensorType::u8;
  u8 rank = 1;        ///< 1 to 8, of which 1 to 5 are legal
  u8 interleave = 0;  ///< 0: none
  TensorSwizzle swizzle_mode = TensorSwizzle::none;
  SwizzleAtom swizzle_atom = SwizzleAtom::b16;
  bool fills_with_nan = false;  ///< else with zeros
  u8 promotion = 0;             ///< a hint
  u64 dims[kMostTensorRank] = {1, 1, 1, 1, 1};
  u64 strides[kMostTensorRank - 1] = {};  ///< of dimensions 1 to 4, in bytes
  u32 box[kMostTensorRank] = {};          ///< in elements of the tensor, before striding; tile only
  u32 element_strides[kMostTensorRank] = {1, 1, 1, 1, 1};
  // im2col, of dimensions 1 to 3 (W, H, D):
  s32 lower[kMostSpatialRank] = {}, upper[kMostSpatialRank] = {};
  u32 channels = 0, pixels = 0;

  /// Elements of a row of the box.
  constexpr u32 row_elements() const { return mode == TensorMode::tile ? box[0] : channels; }
  constexpr Swizzle swizzle() const {
    constexpr Swizzle kOf128[] = {Swizzle::b128, Swizzle::b128_atom_32b,
                                  Swizzle::b128_atom_32b_flip_8b, Swizzle::b128_atom_64b};
    constexpr Swizzle kModes[] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::none,
                                  Swizzle::b96};
    if (swizzle_mode == TensorSwizzle::b128) return kOf128[static_cast<u8>(swizzle_atom)];
    return kModes[static_cast<u8>(swizzle_mode)];
  }
};

using TensorMapWords = u64[kTensorMapBytes / sizeof(u64)];

namespace tensor_map_layout {
struct Field {
  u8 word, bit, width;
};
inline constexpr Field kRank{1, 0, 3}, kMode{1, 3, 3}, kType{1, 6, 4}, kInterleave{1, 10, 2},
    kSwizzleMode{1, 12, 3}, kSwizzleAtom{1, 15, 2}, kFill{1, 17, 1}, kPromotion{1, 18, 2};
inline constexpr u32 kUnused = 20;  ///< bits 20 to 23 of word 1
/// A field of `width` bits, the i-th of an array that begins at a multiple of the width.
constexpr Field nth(u32 word, u32 bit, u32 width, u32 i) {
  const u32 at = bit + i * width;
  return {static_cast<u8>(word + at / 64), static_cast<u8>(at % 64), static_cast<u8>(width)};
}
constexpr Field element_stride(u32 i) { return nth(1, 24, 8, i); }
constexpr Field dim(u32 i) { return nth(2, 0, 32, i); }
constexpr Field stride(u32 i) { return nth(5, 0, 64, i); }
constexpr Field box(u32 i) { return nth(9, 0, 16, i); }
constexpr Field lower(u32 i) { return nth(9, 0, 16, 5 + i); }
constexpr Field upper(u32 i) { return nth(9, 0, 16, 8 + i); }
inline constexpr Field kChannels = nth(9, 0, 16, 11), kPixels = nth(9, 0, 16, 12);
inline constexpr u32 kUsedWords = 13;

constexpr u64 mask_of(Field field) {
  return field.width == 64 ? ~u64{0} : (u64{1} << field.width) - 1;
}
constexpr u64 get(const TensorMapWords& words, Field field) {
  return words[field.word] >> field.bit & mask_of(field);
}
/// A value that is too large becomes the largest one, which no field admits.
constexpr void set(TensorMapWords& words, Field field, u64 value) {
  const u64 most = mask_of(field);
  if (value > most) value = most;
  words[field.word] = (words[field.word] & ~(most << field.bit)) | value << field.bit;
}
constexpr u64 signed_bits(s32 value) { return static_cast<u16>(value); }
constexpr s32 signed_value(u64 bits) { return static_cast<s16>(static_cast<u16>(bits)); }
}  // namespace tensor_map_layout

/// Any words give a map; tensor_map_fault() tells whether it can be used.
constexpr TensorMap unpack_tensor_map(const TensorMapWords& words) {
  namespace at = tensor_map_layout;
  TensorMap map;
  map.address = words[0];
  map.rank = static_cast<u8>(at::get(words, at::kRank) + 1);
  map.mode = static_cast<TensorMode>(at::get(words, at::kMode));
  map.type = static_cast<TensorType>(at::get(words, at::kType));
  map.interleave = static_cast<u8>(at::get(words, at::kInterleave));
  map.swizzle_mode = static_cast<TensorSwizzle>(at::get(words, at::kSwizzleMode));
  map.swizzle_atom = static_cast<SwizzleAtom>(at::get(words, at::kSwizzleAtom));
  map.fills_with_nan = at::get(words, at::kFill) != 0;
  map.promotion = static_cast<u8>(at::get(words, at::kPromotion));
  for (u32 i = 0; i < kMostTensorRank; ++i) {
    map.dims[i] = at::get(words, at::dim(i)) + 1;
    map.box[i] = static_cast<u32>(at::get(words, at::box(i)));
    map.element_strides[i] = static_cast<u32>(at::get(words, at::element_stride(i)));
  }
  for (u32 i = 0; i < kMostTensorRank - 1; ++i) map.strides[i] = at::get(words, at::stride(i));
  if (map.mode == TensorMode::tile) return map;
  for (u32 i = 0; i < kMostSpatialRank; ++i) {
    map.lower[i] = at::signed_value(at::get(words, at::lower(i)));
    map.upper[i] = at::signed_value(at::get(words, at::upper(i)));
  }
  map.channels = static_cast<u32>(at::get(words, at::kChannels));
  map.pixels = static_cast<u32>(at::get(words, at::kPixels));
  return map;
}

/// The opposite, of a map without fault.
constexpr void pack_tensor_map(const TensorMap& map, TensorMapWords& words) {
  namespace at = tensor_map_layout;
  for (u64& word : words) word = 0;
  words[0] = map.address;
  at::set(words, at::kRank, map.rank - 1u);
  at::set(words, at::kMode, static_cast<u8>(map.mode));
  at::set(words, at::kType, static_cast<u8>(map.type));
  at::set(words, at::kInterleave, map.interleave);
  at::set(words, at::kSwizzleMode, static_cast<u8>(map.swizzle_mode));
  at::set(words, at::kSwizzleAtom, static_cast<u8>(map.swizzle_atom));
  at::set(words, at::kFill, map.fills_with_nan);
  at::set(words, at::kPromotion, map.promotion);
  for (u32 i = 0; i < kMostTensorRank; ++i) {
    at::set(words, at::dim(i), map.dims[i] - 1);
    at::set(words, at::box(i), map.box[i]);
    at::set(words, at::element_stride(i), map.element_strides[i]);
  }
  for (u32 i = 0; i < kMostTensorRank - 1; ++i) at::set(words, at::stride(i), map.strides[i]);
  for (u32 i = 0; i < kMostSpatialRank; ++i) {
    at::set(words, at::lower(i), at::signed_bits(map.lower[i]));
    at::set(words, at::upper(i), at::signed_bits(map.upper[i]));
  }
  at::set(words, at::kChannels, map.channels);
  at::set(words, at::kPixels, map.pixels);
}

/// tensormap.replace: `ordinal` is 0 to 4 where the field is one of an array. A value of rank is
/// one less than the rank. The fifth stride does not exist, and setting it does nothing.
constexpr void replace_in_tensor_map(TensorMapWords& words, isa::MapField field, u32 ordinal,
                                     u64 value) {
  namespace at = tensor_map_layout;
  switch (field) {
    case isa::MapField::global_address:
      words[0] = value;
      return;
    case isa::MapField::rank:
      return at::set(words, at::kRank, value);
    case isa::MapField::box_dim:
      return at::set(words, at::box(ordinal), value);
    case isa::MapField::global_dim:
      return at::set(words, at::dim(ordinal), static_cast<u32>(value - 1));
    case isa::MapField::global_stride:
      if (ordinal < kMostTensorRank - 1) at::set(words, at::stride(ordinal), value);
      return;
    case isa::MapField::element_stride:
      return at::set(words, at::element_stride(ordinal), value);
    case isa::MapField::elemtype:
      return at::set(words, at::kType, value);
    case isa::MapField::interleave_layout:
      return at::set(words, at::kInterleave, value);
    case isa::MapField::swizzle_mode:
      return at::set(words, at::kSwizzleMode, value);
    case isa::MapField::swizzle_atomicity:
      return at::set(words, at::kSwizzleAtom, value);
    case isa::MapField::fill_mode:
      return at::set(words, at::kFill, value);
    case isa::MapField::none:
      return;
  }
}

}  // namespace heddle::sem
