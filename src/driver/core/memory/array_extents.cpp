// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/memory/array_extents.h"

#include <array>

#include "driver/core/context/device.h"

namespace heddle::driver {
namespace {

enum class Shape { one, two, three, one_layered, two_layered, cube, cube_layered };

/// The attributes that limit width, height and depth. An extent without a limit is 0, is equal to
/// the width, or is 6.
constexpr auto kNone = static_cast<CUdevice_attribute>(0);
using Limits = std::array<CUdevice_attribute, 3>;

#define HEDDLE_LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name

Limits texture_limits(Shape shape, bool mipmapped) {
  switch (shape) {
    case Shape::one:
      return {mipmapped ? HEDDLE_LIMIT(TEXTURE1D_MIPMAPPED_WIDTH) : HEDDLE_LIMIT(TEXTURE1D_WIDTH),
              kNone, kNone};
    case Shape::two:
      if (mipmapped)
        return {HEDDLE_LIMIT(TEXTURE2D_MIPMAPPED_WIDTH), HEDDLE_LIMIT(TEXTURE2D_MIPMAPPED_HEIGHT),
                kNone};
      return {HEDDLE_LIMIT(TEXTURE2D_WIDTH), HEDDLE_LIMIT(TEXTURE2D_HEIGHT), kNone};
    case Shape::three:
      return {HEDDLE_LIMIT(TEXTURE3D_WIDTH), HEDDLE_LIMIT(TEXTURE3D_HEIGHT),
              HEDDLE_LIMIT(TEXTURE3D_DEPTH)};
    case Shape::one_layered:
      return {HEDDLE_LIMIT(TEXTURE1D_LAYERED_WIDTH), kNone, HEDDLE_LIMIT(TEXTURE1D_LAYERED_LAYERS)};
    case Shape::two_layered:
      return {HEDDLE_LIMIT(TEXTURE2D_LAYERED_WIDTH), HEDDLE_LIMIT(TEXTURE2D_LAYERED_HEIGHT),
              HEDDLE_LIMIT(TEXTURE2D_LAYERED_LAYERS)};
    case Shape::cube:
      return {HEDDLE_LIMIT(TEXTURECUBEMAP_WIDTH), kNone, kNone};
    case Shape::cube_layered:
      return {HEDDLE_LIMIT(TEXTURECUBEMAP_LAYERED_WIDTH), kNone,
              HEDDLE_LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS)};
  }
  return {};
}

Limits surface_limits(Shape shape) {
  switch (shape) {
    case Shape::one:
      return {HEDDLE_LIMIT(SURFACE1D_WIDTH), kNone, kNone};
    case Shape::two:
      return {HEDDLE_LIMIT(SURFACE2D_WIDTH), HEDDLE_LIMIT(SURFACE2D_HEIGHT), kNone};
    case Shape::three:
      return {HEDDLE_LIMIT(SURFACE3D_WIDTH), HEDDLE_LIMIT(SURFACE3D_HEIGHT),
              HEDDLE_LIMIT(SURFACE3D_DEPTH)};
    case Shape::one_layered:
      return {HEDDLE_LIMIT(SURFACE1D_LAYERED_WIDTH), kNone, HEDDLE_LIMIT(SURFACE1D_LAYERED_LAYERS)};
    case Shape::two_layered:
      return {HEDDLE_LIMIT(SURFACE2D_LAYERED_WIDTH), HEDDLE_LIMIT(SURFACE2D_LAYERED_HEIGHT),
              HEDDLE_LIMIT(SURFACE2D_LAYERED_LAYERS)};
    case Shape::cube:
      return {HEDDLE_LIMIT(SURFACECUBEMAP_WIDTH), kNone, kNone};
    case Shape::cube_layered:
      return {HEDDLE_LIMIT(SURFACECUBEMAP_LAYERED_WIDTH), kNone,
              HEDDLE_LIMIT(SURFACECUBEMAP_LAYERED_LAYERS)};
  }
  return {};
}

#undef HEDDLE_LIMIT

Shape shape_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool layered = d.Flags & CUDA_ARRAY3D_LAYERED;
  if (d.Flags & CUDA_ARRAY3D_CUBEMAP) return layered ? Shape::cube_layered : Shape::cube;
  if (layered) return d.Height ? Shape::two_layered : Shape::one_layered;
  return d.Depth ? Shape::three : d.Height ? Shape::two : Shape::one;
}

bool are_within(const Device& device, const CUDA_ARRAY3D_DESCRIPTOR& d, const Limits& limits) {
  const std::size_t extents[] = {d.Width, d.Height, d.Depth};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i] != kNone &&
        extents[i] > static_cast<unsigned>(*device_attribute(device, limits[i])))
      return false;
  }
  return true;
}

}  // namespace

bool has_valid_extents(const Device& device, const CUDA_ARRAY3D_DESCRIPTOR& d, bool mipmapped) {
  const Shape shape = shape_of(d);
  const bool is_cube = shape == Shape::cube || shape == Shape::cube_layered;
  const bool is_layered = shape >= Shape::one_layered;
  if (!d.Width || (d.Depth && !d.Height && !is_layered) || (is_layered && !d.Depth)) return false;
  if (is_cube && (d.Width != d.Height || d.Depth % 6)) return false;
  if (shape == Shape::cube && d.Depth != 6) return false;
  if (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) {
    if (!d.Height || shape == Shape::three) return false;
    constexpr Limits kGather = {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH,
                                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT, kNone};
    if (!are_within(device, d, kGather)) return false;
  }
  if ((d.Flags & CUDA_ARRAY3D_SURFACE_LDST) && !are_within(device, d, surface_limits(shape)))
    return false;
  constexpr Limits kAlternate = {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                                 CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                                 CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE};
  return are_within(device, d, texture_limits(shape, mipmapped)) ||
         (shape == Shape::three && are_within(device, d, kAlternate));
}

}  // namespace heddle::driver
