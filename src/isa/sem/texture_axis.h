// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a coordinate of a lookup to texels of one dimension of a level (PTX ISA 5.3.2, 9.7.10.3;
// docs/textures.md), for all lanes of a warp. All lanes are computed; the texels of lanes that do
// not take part are inside of the level, too.
#pragma once

#include <algorithm>

#include "isa/sem/lanes.h"
#include "isa/sem/vectors.h"
#include "isa/texture.h"

namespace heddle::sem {

using isa::AddressMode;

/// Weights are in units of 1/256.
inline constexpr u32 kWeightBits = 8;
inline constexpr s32 kWeightOne = 1 << kWeightBits;

/// The texels of one dimension: one of a lookup without filter, two that a linear filter mixes.
struct Axis {
  s32x32 texel[2];
  s32x32 weight;      ///< of texel[1]; texel[0] has the rest of kWeightOne
  s32x32 outside[2];  ///< all ones where the texel is the border
};

/// A coordinate: numbers of texels (s32), or f32, which may be between 0 and 1 (normalized).
struct Coordinate {
  u32x32 bits;
  bool whole;       ///< s32
  bool normalized;  ///< f32 between 0 and 1
};

constexpr bool repeats(AddressMode mode) {
  return mode == AddressMode::wrap || mode == AddressMode::mirror;
}
/// Whether lookups may read the border.
constexpr bool has_border(AddressMode mode) {
  return mode == AddressMode::clamp_to_border || mode == AddressMode::clamp_ogl;
}
/// Unnormalized coordinates are only clamped.
constexpr AddressMode effective_mode(AddressMode mode, bool normalized) {
  return repeats(mode) && !normalized ? AddressMode::clamp_to_edge : mode;
}

/// Positions further outside than this are moved: they lead to the same texel, with every offset.
inline constexpr s32 kFarOutside = 32;

/// Moved into the range that matters.
template <class V>
HEDDLE_INLINE V limited(AddressMode mode, s32 size, V position) {
  using T = std::remove_cvref_t<decltype(position[0])>;
  const bool into_level = mode == AddressMode::clamp_ogl;
  const V least = V{} + static_cast<T>(into_level ? 0 : -kFarOutside);
  const V most = V{} + static_cast<T>(size + (into_level ? 0 : kFarOutside));
  return min(max(position, least), most);
}

/// A position in texels, 0 being the near edge of the first one: the number of the texel; or, for a
/// linear filter, the position in units of 1/256, rounded to the nearest.
HEDDLE_INLINE s32x32 fixed_position(f32x32 position, bool linear) {
  if (!linear) return convert<s32x32>(floor_of(position));
  const f32x32 scaled = position * static_cast<f32>(kWeightOne);
  const f32x32 below = floor_of(scaled);  // scaled + 0.5f would be rounded
  return convert<s32x32>(below) - (scaled - below >= 0.5f);
}
HEDDLE_INLINE s32x32 fixed_position(f64x32 position, bool linear) {
  return convert<s32x32>(linear ? floor_of(position * static_cast<f64>(kWeightOne) + 0.5)
                                : floor_of(position));
}

/// The position in the period of a texture that repeats, 0 to 1.
HEDDLE_INLINE f64x32 in_period(AddressMode mode, f64x32 x) {
  const f64x32 whole = floor_of(x);
  f64x32 part = x - whole;
  part = part == part ? part : f64x32{};  // infinities
  if (mode == AddressMode::wrap) return part;
  return floor_of(whole * 0.5) * 2 != whole ? 1 - part : part;
}

HEDDLE_INLINE s32x32 fixed_position(AddressMode mode, const Coordinate& coordinate, s32 size,
                                    bool linear) {
  const f32x32 given = as<f32x32>(coordinate.bits);
  const f32x32 x = given == given ? given : f32x32{};  // NaN counts as 0
  const s32 scale = coordinate.normalized ? size : 1;
  // In f32, the product with a power of two and all steps after it are exact.
  constexpr s32 kMostExact = 1 << 14;
  if (!repeats(mode) && size <= kMostExact && std::has_single_bit(static_cast<u32>(scale)))
    return fixed_position(limited(mode, size, x * static_cast<f32>(scale)), linear);
  f64x32 wide = convert<f64x32>(x);
  if (repeats(mode)) wide = in_period(mode, wide);
  return fixed_position(limited(mode, size, wide * static_cast<f64>(scale)), linear);
}

constexpr s32 modulo(s32 a, s32 b) {
  const s32 rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// Texels of a texture that repeats, moved into the level.
HEDDLE_INLINE s32x32 repeated(AddressMode mode, s32 size, s32x32 texel) {
  if (size < kFarOutside) {
    const s32 period = mode == AddressMode::wrap ? size : 2 * size;
    for (u32 lane = 0; lane < kWarpSize; ++lane) texel[lane] = modulo(texel[lane], period);
    return mode == AddressMode::wrap ? texel : min(texel, 2 * size - 1 - texel);
  }
  const s32x32 low = mode == AddressMode::wrap ? texel + size : -1 - texel;
  const s32x32 high = mode == AddressMode::wrap ? texel - size : 2 * size - 1 - texel;
  return texel < 0 ? low : texel >= size ? high : texel;
}

/// The texels before they are moved into the level. `offset`: of each lane, or null.
HEDDLE_INLINE void find_texels(AddressMode mode, const Coordinate& coordinate, s32 size,
                               bool linear, const s32* offset, Axis& axis) {
  if (coordinate.whole) {
    axis.texel[0] = limited(mode, size, as<s32x32>(coordinate.bits));
    axis.weight = s32x32{};
  } else {
    const s32x32 fixed = fixed_position(mode, coordinate, size, linear);
    // A texel's position is its middle.
    const s32x32 moved = linear ? fixed - kWeightOne / 2 : fixed;
    axis.texel[0] = linear ? moved >> kWeightBits : moved;
    axis.weight = moved & (kWeightOne - 1);
  }
  // The far edge belongs to the last texel.
  if (mode == AddressMode::clamp_ogl && !linear)
    axis.texel[0] = min(axis.texel[0], s32x32{} + (size - 1));
  if (offset) axis.texel[0] += load<s32x32>(offset) << 28 >> 28;  // an offset has four bits
  axis.texel[1] = axis.texel[0] + 1;
}

/// All of it.
HEDDLE_INLINE void place(AddressMode given_mode, const Coordinate& coordinate, s32 size,
                         bool linear, const s32* offset, Axis& axis) {
  const AddressMode mode = effective_mode(given_mode, coordinate.normalized);
  find_texels(mode, coordinate, size, linear, offset, axis);
  for (u32 i = 0; i <= u32{linear}; ++i) {
    s32x32& texel = axis.texel[i];
    axis.outside[i] = s32x32{};
    if (repeats(mode)) {
      texel = repeated(mode, size, texel);
      continue;
    }
    if (has_border(mode)) axis.outside[i] = (texel < 0) | (texel >= size);
    texel = min(max(texel, s32x32{}), s32x32{} + (size - 1));
  }
}

}  // namespace heddle::sem
