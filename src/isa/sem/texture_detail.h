// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which levels of a mipmapped texture a lookup reads (PTX ISA 9.7.10.2; docs/textures.md). Levels
// of detail are in units of 1/256 of a level: 256 is level 1.
#pragma once

#include <algorithm>
#include <cmath>

#include "isa/sem/float_approx.h"
#include "isa/sem/texture_axis.h"

namespace heddle::sem {

inline constexpr s32 kDetailOne = 256;

/// The level of each lane, or the two that are mixed.
struct Levels {
  s32x32 level[2];
  s32x32 weight;  ///< of the second, of kDetailOne
  bool two;
};

/// In units of 1/256, rounded to the nearest.
inline s32 detail_of(f32 lod) {
  constexpr f64 kMost = 1 << 20;
  const f64 x = lod == lod ? std::clamp(f64{lod} * kDetailOne, -kMost, kMost) : 0;
  return static_cast<s32>(std::floor(x + 0.5));
}

inline Levels choose_levels(const isa::Texture& texture, const isa::Sampler& sampler,
                            s32x32 detail) {
  const s32 last = texture.levels - 1;
  const s32x32 least = s32x32{} + std::clamp<s32>(sampler.least, 0, last * kDetailOne);
  const s32x32 most = s32x32{} + std::clamp<s32>(sampler.most, 0, last * kDetailOne);
  const s32x32 at = min(max(detail + sampler.bias, least), max(least, most));
  const bool two = sampler.mip_filter == isa::TextureFilter::linear;
  // Without a filter, the middle between two levels belongs to the finer one.
  const s32x32 first = (two ? at : at + (kDetailOne / 2 - 1)) / kDetailOne;
  return {{first, min(first + 1, s32x32{} + last)}, at & (kDetailOne - 1), two};
}

/// The partial derivatives of up to three coordinates, f32.
struct Gradient {
  u32x32 dx[3], dy[3];
};

/// Along which of both directions, and how often, a lookup samples for anisotropy.
struct Footprint {
  s32x32 detail;
  u8 samples[kWarpSize];
  bool along_y[kWarpSize];
  u32 most_samples = 1;
};

/// The steps of the hardware: numbers between them count as the lower one.
constexpr u8 anisotropy_step(f64 ratio, u32 most) {
  u8 step = 1;
  for (const u8 each : {2, 4, 6, 8, 10, 12, 16})
    if (each <= most && each <= ratio) step = each;
  return step;
}

/// `scale`: texels for each unit of a coordinate.
inline Footprint measure(const Gradient& gradient, u32 dimensions, const f64 (&scale)[3],
                         u32 most_samples) {
  Footprint footprint;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const auto length = [&](const u32x32(&along)[3]) {
      f64 sum = 0;
      for (u32 i = 0; i < dimensions; ++i) {
        const f64 texels = f64{as_f32(along[i][lane])} * scale[i];
        sum += texels * texels;
      }
      return std::sqrt(sum);
    };
    const f64 x = length(gradient.dx), y = length(gradient.dy);
    const f64 longer = std::max(x, y), shorter = std::min(x, y);
    u8 samples = 1;
    if (most_samples > 1 && longer > 0)
      samples =
          anisotropy_step(shorter > 0 ? std::ceil(longer / shorter) : most_samples, most_samples);
    footprint.samples[lane] = samples;
    footprint.along_y[lane] = y > x;
    footprint.most_samples = std::max<u32>(footprint.most_samples, samples);
    footprint.detail[lane] = detail_of(lg2_approx<false>(static_cast<f32>(longer / samples)));
  }
  return footprint;
}

}  // namespace heddle::sem
