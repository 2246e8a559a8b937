// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of tensor maps (driver API 6.30, PTX ISA 5.5, 9.7.9.27.1.1): what the driver refuses
// to encode, and what instructions refuse to use.
#pragma once

#include "isa/sem/tensor_map.h"

namespace heddle::sem {

enum class TensorMapFault : u8 {
  none,
  not_a_map,       ///< bits are set that no map has
  rank,            ///< not 1 to 5, or less than 3 with im2col
  address,         ///< no multiple of 16, or of 32 for padded types
  dimension,       ///< not 1 to 2^32, or no multiple that the type asks for
  stride,          ///< no multiple of 16, or of 32 for padded types, or 2^40 or more
  box,             ///< not 1 to 256, or rows of no multiple of 16 bytes; padded types: not 128
  element_stride,  ///< not 1 to 8
  interleave,      ///< no engine knows it
  swizzle,         ///< the type, the atom or the mode does not go with it
  swizzle_span,    ///< a row of the box is longer than the swizzling pattern
  fill,            ///< NaN for a type without NaN
  corner,          ///< out of its range, or the bounding box is empty
  channels,        ///< not 1 to 256; padded types: not 128
  pixels,          ///< not 1 to 1024
};

/// Stores of .b6p2x16 have weaker limits on sm_103a (9.7.9.27.1.1).
enum class TensorLimits : u8 { usual, stores_of_sm_103a };

inline constexpr u64 kMostTensorDim = u64{1} << 32, kTensorStrideLimit = u64{1} << 40;
inline constexpr u32 kMostBoxDim = 256, kMostElementStride = 8, kMostChannels = 256,
                     kMostPixels = 1024;

/// Whether rows of padded types may have 64 elements, at multiples of 16 bytes.
constexpr bool has_short_rows(TensorType type, TensorLimits limits) {
  return type == TensorType::b6x16 && limits == TensorLimits::stores_of_sm_103a;
}
/// Of a padded type: the elements of the shortest row; a row of 128 elements is always legal. The
/// first dimension and the first coordinate are multiples of this.
constexpr u32 padded_row(TensorType type, TensorLimits limits) {
  return has_short_rows(type, limits) ? 64 : 128;
}
/// The bytes of which the address of the tensor and its strides are multiples.
constexpr u32 tensor_unit(TensorType type, TensorLimits limits) {
  return is_padded(type) && !has_short_rows(type, limits) ? 32 : 16;
}
constexpr bool is_row(TensorType type, u32 elements, TensorLimits limits) {
  return !is_padded(type) || elements == 128 || elements == padded_row(type, limits);
}

/// The bytes that swizzling spreads over one row of its pattern; 0: any number.
constexpr u32 swizzle_span(TensorSwizzle mode) {
  constexpr u8 kSpans[] = {0, 32, 64, 128, 96};
  return kSpans[static_cast<u8>(mode)];
}

constexpr TensorMapFault tensor_swizzle_fault(const TensorMap& map, TensorLimits limits) {
  if (map.swizzle_mode > TensorSwizzle::b96) return TensorMapFault::swizzle;
  if (map.swizzle_mode == TensorSwizzle::none) return TensorMapFault::none;
  if (map.swizzle_mode != TensorSwizzle::b128 && map.swizzle_atom != SwizzleAtom::b16)
    return TensorMapFault::swizzle;
  if (map.swizzle_mode == TensorSwizzle::b96 && map.mode == TensorMode::im2col_w_128)
    return TensorMapFault::swizzle;
  const bool is_short = has_short_rows(map.type, limits) && map.swizzle_mode == TensorSwizzle::b64;
  if (is_padded(map.type) && !is_short &&
      (map.swizzle_mode != TensorSwizzle::b128 || map.swizzle_atom == SwizzleAtom::b32_flip_8b))
    return TensorMapFault::swizzle;
  const u32 bytes = bytes_in_shared(map.type, map.row_elements());
  if (bytes > swizzle_span(map.swizzle_mode) || bytes % 16) return TensorMapFault::swizzle_span;
  return TensorMapFault::none;
}

constexpr TensorMapFault tile_fault(const TensorMap& map, TensorLimits limits) {
  for (u32 i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > kMostBoxDim) return TensorMapFault::box;
  }
  if (!is_row(map.type, map.box[0], limits)) return TensorMapFault::box;
  if (map.box[0] * element_bits(map.type) % 128) return TensorMapFault::box;
  return TensorMapFault::none;
}

constexpr TensorMapFault im2col_fault(const TensorMap& map, TensorLimits limits) {
  if (map.rank < 3) return TensorMapFault::rank;
  const bool wide = map.mode != TensorMode::im2col;
  const u32 spatial = wide ? 1 : map.rank - 2u;
  // 16 bits for one corner, 8 for each of two, 5 for each of three.
  const s32 limit = spatial == 1 ? 32768 : spatial == 2 ? 128 : 16;
  for (u32 i = 0; i < spatial; ++i) {
    const s32 low = map.lower[i], high = map.upper[i];
    if (low < -limit || low >= limit || high < -limit || high >= limit)
      return TensorMapFault::corner;
    if (static_cast<s64>(map.dims[i + 1]) + high - low <= 0) return TensorMapFault::corner;
  }
  if (map.channels == 0 || map.channels > kMostChannels) return TensorMapFault::channels;
  if (!is_row(map.type, map.channels, limits)) return TensorMapFault::channels;
  if (map.channels * element_bits(map.type) % 8) return TensorMapFault::channels;
  if (map.mode == TensorMode::im2col_w_128) return TensorMapFault::none;
  return map.pixels == 0 || map.pixels > kMostPixels ? TensorMapFault::pixels
                                                     : TensorMapFault::none;
}

/// The first limit that a map breaks.
constexpr TensorMapFault tensor_map_fault(const TensorMap& map,
                                          TensorLimits limits = TensorLimits::usual) {
  if (map.mode > TensorMode::im2col_w_128) return TensorMapFault::not_a_map;
  if (map.rank == 0 || map.rank > kMostTensorRank) return TensorMapFault::rank;
  if (map.interleave) return TensorMapFault::interleave;
  const u32 unit = tensor_unit(map.type, limits);
  if (map.address % unit) return TensorMapFault::address;
  for (u32 i = 0; i < map.rank; ++i) {
    if (map.dims[i] == 0 || map.dims[i] > kMostTensorDim) return TensorMapFault::dimension;
  }
  if (is_padded(map.type) && map.dims[0] % padded_row(map.type, limits))
    return TensorMapFault::dimension;
  if (map.type == TensorType::b4x16 && map.dims[0] % 2) return TensorMapFault::dimension;
  for (u32 i = 0; i + 1 < map.rank; ++i) {
    if (map.strides[i] % unit || map.strides[i] >= kTensorStrideLimit)
      return TensorMapFault::stride;
  }
  // That of dimension 0 is for interleaved layouts alone.
  for (u32 i = 1; i < map.rank; ++i) {
    if (map.element_strides[i] == 0 || map.element_strides[i] > kMostElementStride)
      return TensorMapFault::element_stride;
  }
  if (map.fills_with_nan && !is_float(map.type)) return TensorMapFault::fill;
  const TensorMapFault shape =
      map.mode == TensorMode::tile ? tile_fault(map, limits) : im2col_fault(map, limits);
  return shape != TensorMapFault::none ? shape : tensor_swizzle_fault(map, limits);
}

/// The first limit that the map in these words breaks.
constexpr TensorMapFault tensor_map_fault(const TensorMapWords& words, const TensorMap& map,
                                          TensorLimits limits = TensorLimits::usual) {
  namespace at = tensor_map_layout;
  u64 strange =
      words[at::kUsedWords - 1] >> 16 | words[4] >> 32 | (words[1] >> at::kUnused & ~u64{2} & 0xf);
  for (u32 i = at::kUsedWords; i < kTensorMapBytes / sizeof(u64); ++i) strange |= words[i];
  return strange ? TensorMapFault::not_a_map : tensor_map_fault(map, limits);
}

}  // namespace heddle::sem
