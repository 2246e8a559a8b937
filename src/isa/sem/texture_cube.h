// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubes: from a direction to a face and coordinates in it, and across the edges of faces (PTX
// ISA 9.7.10.3; docs/textures.md). Faces are in the order +x, -x, +y, -y, +z, -z.
#pragma once

#include <cmath>

#include "isa/sem/texture_detail.h"

namespace heddle::sem {

inline constexpr u32 kFaces = 6;

/// For each face: which coordinate is the major axis, and which are s and t, with their signs.
struct CubeFace {
  u8 major, s, t;
  s8 major_sign, s_sign, t_sign;
};
inline constexpr CubeFace kCubeFaces[kFaces] = {
    {0, 2, 1, 1, -1, -1},   // +x: (-z, -y)
    {0, 2, 1, -1, 1, -1},   // -x: (z, -y)
    {1, 0, 2, 1, 1, 1},     // +y: (x, z)
    {1, 0, 2, -1, 1, -1},   // -y: (x, -z)
    {2, 0, 1, 1, 1, -1},    // +z: (x, -y)
    {2, 0, 1, -1, -1, -1},  // -z: (-x, -y)
};

struct Direction {
  f64 along[3];
};
struct FacePoint {
  u32 face;
  f64 u, v;  ///< 0 to 1
};

/// Of several longest coordinates, z is the major axis before y before x.
inline u32 face_of(const Direction& d) {
  const f64 x = std::fabs(d.along[0]), y = std::fabs(d.along[1]), z = std::fabs(d.along[2]);
  const u32 axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return axis * 2 + (std::signbit(d.along[axis]) ? 1 : 0);
}

inline FacePoint project(const Direction& d) {
  const u32 number = face_of(d);
  const CubeFace& face = kCubeFaces[number];
  const f64 major = std::fabs(d.along[face.major]);
  const f64 s = face.s_sign * d.along[face.s], t = face.t_sign * d.along[face.t];
  if (!(major > 0)) return {number, 0.5, 0.5};
  return {number, (s / major + 1) / 2, (t / major + 1) / 2};
}

/// The direction of a point in the plane of a face, also outside of the face.
inline Direction direction_of(const FacePoint& point) {
  const CubeFace& face = kCubeFaces[point.face];
  Direction d{};
  d.along[face.major] = face.major_sign;
  d.along[face.s] = face.s_sign * (2 * point.u - 1);
  d.along[face.t] = face.t_sign * (2 * point.v - 1);
  return d;
}

/// A lookup in a cube as one in layers: faces are slices.
struct CubeCoordinates {
  u32x32 face;
  u32x32 u, v;          ///< f32
  u32x32 dx[2], dy[2];  ///< f32
};

/// How u or v changes where the direction changes by `change`: the derivative of (s / |major| + 1)
/// / 2.
inline f64 face_derivative(f64 s, f64 major, f64 change_of_s, f64 change_of_major) {
  return major > 0 ? (change_of_s * major - s * change_of_major) / (major * major) / 2 : 0;
}

inline CubeCoordinates project(const u32x32 (&coordinates)[3], const Gradient* gradient) {
  CubeCoordinates to{};
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const auto read = [&](const u32x32(&from)[3]) {
      Direction d{};
      for (u32 i = 0; i < 3; ++i) {
        const f32 x = as_f32(from[i][lane]);
        d.along[i] = x == x ? f64{x} : 0;
      }
      return d;
    };
    const Direction d = read(coordinates);
    const FacePoint point = project(d);
    to.face[lane] = point.face;
    to.u[lane] = bits_of(static_cast<f32>(point.u));
    to.v[lane] = bits_of(static_cast<f32>(point.v));
    if (!gradient) continue;
    const CubeFace& face = kCubeFaces[point.face];
    const auto derive = [&](const u32x32(&along)[3], u32x32(&of)[2]) {
      const Direction change = read(along);
      const f64 major = std::fabs(d.along[face.major]);
      const f64 of_major = face.major_sign * change.along[face.major];
      const auto derivative = [&](u32 axis, s8 sign) {
        return bits_of(static_cast<f32>(
            face_derivative(sign * d.along[axis], major, sign * change.along[axis], of_major)));
      };
      of[0][lane] = derivative(face.s, face.s_sign);
      of[1][lane] = derivative(face.t, face.t_sign);
    };
    derive(gradient->dx, to.dx);
    derive(gradient->dy, to.dy);
  }
  return to;
}

/// A texel of a face.
struct FaceTexel {
  u32 face;
  s32 x, y;
};

/// The texel of a neighbouring face that lies where (x, y), one texel beyond an edge, would be.
inline FaceTexel across_edge(const FaceTexel& texel, s32 size) {
  const auto middle = [&](s32 i) { return (i + 0.5) / size; };
  // The neighbour is folded over the edge: its texel is as far from the edge, seen along its own
  // face.
  FacePoint point{texel.face, middle(texel.x), middle(texel.y)};
  const FacePoint inside{texel.face, std::clamp(point.u, 0.0, 1.0), std::clamp(point.v, 0.0, 1.0)};
  Direction d = direction_of(inside);
  const f64 beyond = std::max(std::fabs(point.u - inside.u), std::fabs(point.v - inside.v)) * 2;
  const u32 major = kCubeFaces[texel.face].major;
  d.along[major] *= 1 - beyond;
  const FacePoint there = project(d);
  const auto index = [&](f64 u) {
    return std::clamp(static_cast<s32>(std::floor(u * size)), 0, size - 1);
  };
  return {there.face, index(there.u), index(there.v)};
}

}  // namespace heddle::sem
