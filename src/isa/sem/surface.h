// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// suld, sust, sured, suq (PTX ISA 9.7.11). Accesses are relaxed, as those of tex are; sured is as
// indivisible as red of gpu scope.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/sem/atom.h"
#include "isa/sem/half.h"
#include "isa/sem/texture_handle.h"
#include "isa/sem/texture_query.h"
#include "isa/sem/texture_texels.h"

namespace heddle::sem {

using isa::Surfclamp;
using isa::Surfgeom;
using isa::Surfquery;

/// The rows of a surface instruction: surface, coordinates, values.
class SurfaceOperands {
 public:
  explicit SurfaceOperands(WarpOperands operands) : all_(operands) {}
  const u64* surfaces() const { return static_cast<const u64*>(row(0)); }
  s32 coordinate(u32 i, u32 lane) const { return static_cast<const s32*>(row(1, i))[lane]; }
  /// What is stored, or the result.
  void* value(u32 i) const { return row(2, i); }

 private:
  void* row(u32 operand, u32 i = 0) const {
    return static_cast<Registers<void>>(all_.operands[operand])[i];
  }
  WarpOperands all_;
};

struct SurfaceAccess {
  Surfgeom geometry;
  Surfclamp clamp;
  u32 bytes;  ///< of the access: a power of two, or of a texel
  u32 unit;   ///< bytes of a step of the first coordinate: 1, or more where samples are addressed
};

/// The address of an access; null: it is outside, and reads zero or is dropped, or has failed.
inline u8* find_place(isa::WarpContext& context, const isa::Texture& surface,
                      const SurfaceAccess& access, const SurfaceOperands& operands, u32 lane) {
  const isa::TextureLevel& level = surface.level[0];
  const bool layered = access.geometry == Surfgeom::a1d || access.geometry == Surfgeom::a2d;
  const u32 dimensions = access.geometry == Surfgeom::_3d                                       ? 3
                         : access.geometry == Surfgeom::_2d || access.geometry == Surfgeom::a2d ? 2
                                                                                                : 1;
  s64 at[3] = {}, most[3] = {};
  const s64 row_bytes = s64{level.width} * bytes_of(surface.format, surface.channels);
  const u32 extents[3] = {0, level.height, level.depth};
  for (u32 i = 0; i < dimensions; ++i) {
    at[i] = operands.coordinate(i + (layered ? 1 : 0), lane);
    most[i] = s64{extents[i]} - 1;
  }
  at[0] *= access.unit;
  most[0] = row_bytes - access.bytes;
  const u32 layer = layered ? static_cast<u32>(operands.coordinate(0, lane)) : 0;
  const u32 last_layer = surface.layers - 1;
  const auto fail = [&](WarpFault::Kind kind) {
    WarpFault fault{.kind = kind, .lane = lane, .value = operands.surfaces()[lane], .layer = layer};
    for (u32 i = 0; i < dimensions; ++i)
      fault.coordinate[i] = operands.coordinate(i + (layered ? 1 : 0), lane);
    fault.bytes = access.bytes;
    context.fail(fault);
    return nullptr;
  };
  if (at[0] % access.bytes) return fail(WarpFault::Kind::misaligned_surface);
  bool inside = layer <= last_layer;
  for (u32 i = 0; i < 3; ++i) inside &= at[i] >= 0 && at[i] <= most[i];
  if (!inside) {
    if (access.clamp == Surfclamp::zero) return nullptr;
    if (access.clamp != Surfclamp::clamp || most[0] < 0)
      return fail(WarpFault::Kind::outside_surface);
    for (u32 i = 0; i < 3; ++i) at[i] = std::clamp<s64>(at[i], 0, most[i]);
    at[0] -= at[0] % access.bytes;
  }
  const u64 slice =
      access.geometry == Surfgeom::_3d ? static_cast<u64>(at[2]) : std::min(layer, last_layer);
  return reinterpret_cast<u8*>(level.base + slice * level.slice +
                               static_cast<u64>(at[1]) * level.pitch + static_cast<u64>(at[0]));
}

/// f(surface, lane) for each lane that takes part, until one has failed.
template <class F>
inline void for_each_surface(isa::WarpContext& context, WarpLanes who, const u64* handles, F f) {
  for_each_object(context, who.active, TextureObject::Kind::surface, handles,
                  [&](const TextureObject& object, u32 lane) { f(object.texture, lane); });
}

constexpr u32 count_of(isa::Vec vec) {
  return vec == isa::Vec::v2 ? 2 : vec == isa::Vec::v4 ? 4 : 1;
}

template <class T>
inline void suld(Surfgeom geometry, isa::Vec vec, Surfclamp clamp, isa::WarpContext& context,
                 WarpLanes who, WarpOperands all) {
  const SurfaceOperands operands(all);
  const u32 count = count_of(vec);
  const SurfaceAccess access{geometry, clamp, count * static_cast<u32>(sizeof(T)), 1};
  for_each_surface(context, who, operands.surfaces(), [&](const isa::Texture& surface, u32 lane) {
    const u8* from = find_place(context, surface, access, operands, lane);
    if (context.failed()) return;
    for (u32 i = 0; i < count; ++i) {
      T value = 0;
      if (from) std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      static_cast<T*>(operands.value(i))[lane] = value;
    }
  });
}

template <class T>
inline void sust(Surfgeom geometry, isa::Vec vec, Surfclamp clamp, isa::WarpContext& context,
                 WarpLanes who, WarpOperands all) {
  const SurfaceOperands operands(all);
  const u32 count = count_of(vec);
  const SurfaceAccess access{geometry, clamp, count * static_cast<u32>(sizeof(T)), 1};
  for_each_surface(context, who, operands.surfaces(), [&](const isa::Texture& surface, u32 lane) {
    u8* to = find_place(context, surface, access, operands, lane);
    for (u32 i = 0; to && i < count; ++i)
      std::memcpy(to + i * sizeof(T), static_cast<const T*>(operands.value(i)) + lane, sizeof(T));
  });
}

// --- formatted stores ---

/// An f32 value between -1 or 0 and 1 as an integer of a normalized format, rounded to nearest
/// even.
inline s32 normalized_code(f32 value, s32 least, s32 greatest) {
  const f64 clamped = value == value ? std::clamp(f64{value}, least < 0 ? -1.0 : 0.0, 1.0) : 0;
  return static_cast<s32>(std::nearbyint(clamped * greatest));
}

/// Puts one channel of a texel into memory, converted from 32 bits to the surface's format.
inline void store_channel(const isa::Texture& surface, u32 channel, u32 bits, u8* texel) {
  const bool normalized = surface.reading != TexelReading::bits;
  const auto put = [&](auto value) {
    std::memcpy(texel + channel * sizeof value, &value, sizeof value);
  };
  const auto integer = [&]<class T>(T) {
    constexpr auto kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
    if (normalized)
      put(static_cast<T>(normalized_code(as_f32(bits), kLeast < 0 ? -kMost : 0, kMost)));
    else if constexpr (std::is_signed_v<T>)
      put(static_cast<T>(std::clamp<s32>(static_cast<s32>(bits), kLeast, kMost)));
    else
      put(static_cast<T>(std::min<u32>(bits, kMost)));
  };
  switch (surface.format) {
    case TexelFormat::u8:
      return integer(u8{});
    case TexelFormat::s8:
      return integer(s8{});
    case TexelFormat::u16:
      return integer(u16{});
    case TexelFormat::s16:
      return integer(s16{});
    case TexelFormat::f16:
      return put(to_f16(as_f32(bits)).bits);
    case TexelFormat::u10_10_10_2: {
      const s32 greatest = channel == 3 ? 3 : 0x3ff;
      const u32 code = static_cast<u32>(normalized_code(as_f32(bits), 0, greatest));
      u32 word = 0;
      std::memcpy(&word, texel, sizeof word);
      word = (word & ~(static_cast<u32>(greatest) << 10 * channel)) | code << 10 * channel;
      std::memcpy(texel, &word, sizeof word);
      return;
    }
    default:
      return put(bits);
  }
}

inline void sust_formatted(Surfgeom geometry, isa::Vec vec, Surfclamp clamp,
                           isa::WarpContext& context, WarpLanes who, WarpOperands all) {
  const SurfaceOperands operands(all);
  for_each_surface(context, who, operands.surfaces(), [&](const isa::Texture& surface, u32 lane) {
    const u32 bytes = bytes_of(surface.format, surface.channels);
    u8* to = find_place(context, surface, {geometry, clamp, bytes, bytes}, operands, lane);
    for (u32 i = 0; to && i < std::min<u32>(count_of(vec), surface.channels); ++i)
      store_channel(surface, i, static_cast<const u32*>(operands.value(i))[lane], to);
  });
}

// --- reductions ---

template <Atomop kOp, class T>
inline void reduce_at(u8* at, T value) {
  T* place = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, atom_apply<kOp, T>(old, value), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

template <Atomop kOp, class T>
inline void sured(Surfgeom geometry, Surfclamp clamp, isa::WarpContext& context, WarpLanes who,
                  WarpOperands all) {
  const SurfaceOperands operands(all);
  for_each_surface(context, who, operands.surfaces(), [&](const isa::Texture& surface, u32 lane) {
    u8* at = find_place(context, surface, {geometry, clamp, sizeof(T), 1}, operands, lane);
    if (at) reduce_at<kOp, T>(at, static_cast<const T*>(operands.value(0))[lane]);
  });
}

/// The surface's format says whether the values have a sign. T is unsigned.
template <Atomop kOp, class T>
inline void sured_formatted(Surfgeom geometry, Surfclamp clamp, isa::WarpContext& context,
                            WarpLanes who, WarpOperands all) {
  const SurfaceOperands operands(all);
  for_each_surface(context, who, operands.surfaces(), [&](const isa::Texture& surface, u32 lane) {
    u8* at = find_place(context, surface, {geometry, clamp, sizeof(T), sizeof(T)}, operands, lane);
    const T value = static_cast<const T*>(operands.value(0))[lane];
    if (!at) return;
    const bool has_sign = surface.format == TexelFormat::s8 || surface.format == TexelFormat::s16 ||
                          surface.format == TexelFormat::s32;
    using Signed = std::make_signed_t<T>;
    if (has_sign)
      reduce_at<kOp, Signed>(at, static_cast<Signed>(value));
    else
      reduce_at<kOp, T>(at, value);
  });
}

inline void suq(Surfquery query, isa::WarpContext& context, WarpLanes who, const u64* a, u32* d) {
  for_each_surface(context, who, a, [&](const isa::Texture& surface, u32 lane) {
    d[lane] = property_of(surface, query);
  });
}

}  // namespace heddle::sem
