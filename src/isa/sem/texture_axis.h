// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a coordinate of a lookup to texels of one dimension of a level (PTX ISA 5.3.2, 9.7.10.3;
// docs/textures.md). All lanes are computed; the texels of lanes that do not take part are inside
// of the level, too.
#pragma once

#include <algorithm>
#include <cmath>

#include "isa/sem/float.h"
#include "isa/sem/lanes.h"
#include "isa/texture.h"

namespace heddle::sem {

using isa::AddressMode;

/// Weights are in units of 1/256.
inline constexpr u32 kWeightBits = 8;
inline constexpr s32 kWeightOne = 1 << kWeightBits;

/// The texels of one dimension: one of a lookup without filter, two that a linear filter mixes.
struct Axis {
  alignas(64) s32 texel[2][kWarpSize];
  alignas(64) s32 weight[kWarpSize];  ///< of texel[1]; texel[0] has the rest of kWeightOne
  u32 outside[2] = {};                ///< lanes whose texel is the border
};

/// A coordinate: numbers of texels (s32), or f32, which may be between 0 and 1 (normalized).
struct Coordinate {
  const u32* bits;
  bool whole;       ///< s32
  bool normalized;  ///< f32 between 0 and 1
};

/// Unnormalized coordinates are only clamped.
constexpr AddressMode effective_mode(AddressMode mode, bool normalized) {
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !normalized ? AddressMode::clamp_to_edge : mode;
}

/// Positions further outside than this are moved: they lead to the same texel, with every offset.
inline constexpr f64 kFarOutside = 32;

/// The positions in texels: 0 is the near edge of the first one, `size` the far edge of the last.
template <AddressMode kMode>
inline void positions_of(Coordinate coordinate, s32 size, f64 (&position)[kWarpSize]) {
  const f64 scale = coordinate.normalized ? size : 1;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const f64 given = f64{as_f32(coordinate.bits[lane])};
    f64 x = given == given ? given : 0;
    if constexpr (kMode == AddressMode::wrap || kMode == AddressMode::mirror) {
      const f64 whole = std::floor(x);
      f64 part = x - whole;
      part = part == part ? part : 0;  // infinities
      if constexpr (kMode == AddressMode::mirror)
        part = std::floor(whole * 0.5) * 2 != whole ? 1 - part : part;
      x = part;
    }
    x *= scale;
    constexpr bool kIntoLevel = kMode == AddressMode::clamp_ogl;
    const f64 least = kIntoLevel ? 0 : -kFarOutside, most = size + (kIntoLevel ? 0 : kFarOutside);
    x = x < least ? least : x;
    position[lane] = x > most ? most : x;
  }
}

inline void positions_of(AddressMode mode, Coordinate coordinate, s32 size,
                         f64 (&position)[kWarpSize]) {
  switch (mode) {
    case AddressMode::wrap:
      return positions_of<AddressMode::wrap>(coordinate, size, position);
    case AddressMode::mirror:
      return positions_of<AddressMode::mirror>(coordinate, size, position);
    case AddressMode::clamp_ogl:
      return positions_of<AddressMode::clamp_ogl>(coordinate, size, position);
    case AddressMode::clamp_to_edge:
    case AddressMode::clamp_to_border:
      return positions_of<AddressMode::clamp_to_edge>(coordinate, size, position);
  }
}

/// The texel of each position, and for a linear filter its neighbours. A position is rounded to a
/// multiple of 1/256 before it is split into texel and weight.
inline void split_positions(const f64 (&position)[kWarpSize], bool linear, Axis& axis) {
  if (!linear) {
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      axis.texel[0][lane] = static_cast<s32>(std::floor(position[lane]));
    return;
  }
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const s32 fixed =
        static_cast<s32>(std::floor(position[lane] * kWeightOne + 0.5)) - kWeightOne / 2;
    axis.texel[0][lane] = fixed >> kWeightBits;
    axis.texel[1][lane] = (fixed >> kWeightBits) + 1;
    axis.weight[lane] = fixed & (kWeightOne - 1);
  }
}

constexpr s32 modulo(s32 a, s32 b) {
  const s32 rest = a % b;
  return rest < 0 ? rest + b : rest;
}

/// Moves texels into the level; returns the lanes whose texel was outside of it, for border modes.
inline u32 into_level(AddressMode mode, s32 size, s32 (&texel)[kWarpSize]) {
  const s32 last = size - 1;
  u32 outside = 0;
  switch (mode) {
    case AddressMode::wrap:
      for (s32& i : texel) i = modulo(i, size);
      return 0;
    case AddressMode::mirror:
      for (s32& i : texel) {
        const s32 in_pair = modulo(i, 2 * size);
        i = std::min(in_pair, 2 * size - 1 - in_pair);
      }
      return 0;
    case AddressMode::clamp_ogl:
    case AddressMode::clamp_to_border:
      for (u32 lane = 0; lane < kWarpSize; ++lane)
        outside |= (texel[lane] < 0 || texel[lane] > last ? 1u : 0u) << lane;
      [[fallthrough]];
    case AddressMode::clamp_to_edge:
      for (s32& i : texel) i = std::clamp(i, 0, last);
      return outside;
  }
  return outside;
}

/// The texels before they are moved into the level. `offset`: of each lane, or null.
inline void find_texels(AddressMode mode, Coordinate coordinate, s32 size, bool linear,
                        const s32* offset, Axis& axis) {
  if (coordinate.whole) {
    constexpr s32 kFar = static_cast<s32>(kFarOutside);
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      axis.texel[0][lane] = std::clamp(static_cast<s32>(coordinate.bits[lane]), -kFar, size + kFar);
  } else {
    alignas(64) f64 position[kWarpSize];
    positions_of(mode, coordinate, size, position);
    split_positions(position, linear, axis);
  }
  // An offset has four bits.
  for (u32 i = 0; offset && i <= u32{linear}; ++i)
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      axis.texel[i][lane] += static_cast<s32>(static_cast<u32>(offset[lane]) << 28) >> 28;
}

/// All of it.
inline void place(AddressMode mode, Coordinate coordinate, s32 size, bool linear, const s32* offset,
                  Axis& axis) {
  mode = effective_mode(mode, coordinate.normalized);
  find_texels(mode, coordinate, size, linear, offset, axis);
  for (u32 i = 0; i <= u32{linear}; ++i) axis.outside[i] = into_level(mode, size, axis.texel[i]);
}

}  // namespace heddle::sem
