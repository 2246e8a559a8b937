// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tex, tld4, txq, istypep (PTX ISA 9.7.10).
#pragma once

#include "isa/sem/texture_handle.h"
#include "isa/sem/texture_lookup.h"
#include "isa/sem/texture_query.h"

namespace heddle::sem {

using isa::Samplerquery;
using isa::Texcomp;
using isa::Texgeom;
using isa::Texmip;
using isa::Texquery;

/// The operands of tex: texture, sampler, coordinates, level, two gradients, offsets, depth, as far
/// as the form has them; then the result, and whether the texels are resident. `kDetail`: the form
/// has a place for level and gradients, also where they are not written.
template <bool kSampler, bool kDetail, bool kOffsets, bool kReference>
class TextureOperands {
 public:
  explicit TextureOperands(WarpOperands operands) : all_(operands) {}

  const u64* textures() const { return static_cast<const u64*>(row(0)); }
  const u64* samplers() const { return kSampler ? static_cast<const u64*>(row(1)) : nullptr; }
  const u32* coordinate(u32 i) const { return words(kCoordinates, i); }
  const u32* level() const { return words(kCoordinates + 1); }
  const u32* dx(u32 i) const { return words(kCoordinates + 2, i); }
  const u32* dy(u32 i) const { return words(kCoordinates + 3, i); }
  const s32* offset(u32 i) const {
    return kOffsets ? static_cast<const s32*>(row(kOffset, i)) : nullptr;
  }
  const u32* reference() const { return kReference ? words(kDepth) : nullptr; }
  void* result(u32 i) const { return row(kResult, i); }
  Predicate* resident() const {
    return all_.count > kResult + 1 ? static_cast<Predicate*>(row(kResult + 1)) : nullptr;
  }

 private:
  static constexpr u32 kCoordinates = kSampler ? 2 : 1, kOffset = kCoordinates + (kDetail ? 4 : 1),
                       kDepth = kOffset + (kOffsets ? 1 : 0),
                       kResult = kDepth + (kReference ? 1 : 0);
  void* row(u32 operand, u32 i = 0) const {
    return static_cast<Registers<void>>(all_.operands[operand])[i];
  }
  const u32* words(u32 operand, u32 i = 0) const {
    return static_cast<const u32*>(row(operand, i));
  }

  WarpOperands all_;
};

/// What a geometry says of the elements of the coordinates: an index of a sample or layer, or both,
/// first.
struct TextureGeometry {
  u32 dimensions = 1;
  bool layered = false, cube = false;
  u32 layer = 0, first = 0;  ///< elements
};
constexpr TextureGeometry geometry_of(Texgeom geometry) {
  switch (geometry) {
    case Texgeom::a1d:
      return {.dimensions = 1, .layered = true, .first = 1};
    case Texgeom::_2d:
      return {.dimensions = 2};
    case Texgeom::a2d:
      return {.dimensions = 2, .layered = true, .first = 1};
    case Texgeom::_3d:
      return {.dimensions = 3};
    case Texgeom::cube:
      return {.dimensions = 3, .cube = true};
    case Texgeom::acube:
      return {.dimensions = 3, .layered = true, .cube = true, .first = 1};
    // All textures have one sample for each texel.
    case Texgeom::_2dms:
      return {.dimensions = 2, .first = 1};
    case Texgeom::a2dms:
      return {.dimensions = 2, .layered = true, .layer = 1, .first = 2};
    default:
      return {};
  }
}

template <class Operands>
inline Lookup lookup_of(const Operands& operands, Texgeom geometry, bool whole) {
  const TextureGeometry shape = geometry_of(geometry);
  Lookup lookup{
      .dimensions = shape.dimensions, .cube = shape.cube, .layered = shape.layered, .whole = whole};
  for (u32 i = 0; i < shape.dimensions; ++i) {
    lookup.coordinate[i] = operands.coordinate(shape.first + i);
    lookup.offset[i] = operands.offset(i);
  }
  if (shape.layered) lookup.layer = operands.coordinate(shape.layer);
  lookup.reference = operands.reference();
  return lookup;
}

/// Writes the results of active lanes in the form of the destination's type.
template <class Operands>
inline void write_result(const Operands& operands, isa::Type type, u32 lanes, const Codes& values) {
  const auto half = [&](u32 channel, u32 lane) {
    return u32{to_f16(as_f32(values[channel][lane])).bits};
  };
  const auto write = [&](u32 count, auto value) {
    for (u32 i = 0; i < count; ++i)
      for_each_lane(lanes, [&](u32 lane) { value(operands.result(i), i, lane); });
  };
  if (type == isa::Type::f16) {
    write(kChannels, [&](void* to, u32 i, u32 lane) {
      static_cast<u16*>(to)[lane] = static_cast<u16>(half(i, lane));
    });
  } else if (type == isa::Type::f16x2) {
    write(kChannels / 2, [&](void* to, u32 i, u32 lane) {
      static_cast<u32*>(to)[lane] = half(2 * i, lane) | half(2 * i + 1, lane) << 16;
    });
  } else if (lanes == ~0u) {
    for (u32 i = 0; i < kChannels; ++i) store(operands.result(i), values[i]);
  } else {
    write(kChannels,
          [&](void* to, u32 i, u32 lane) { static_cast<u32*>(to)[lane] = values[i][lane]; });
  }
}

/// f(texture, sampler, lanes, values) finds the values of the lanes; then they are the result.
template <class Operands, class F>
inline void for_each_texture(isa::WarpContext& context, u32 active, const Operands& operands,
                             isa::Type type, F f) {
  for_each_handle(
      context, active, operands.textures(), operands.samplers(), [&](u32 lane, u32 lanes) {
        const TextureObject* object =
            find_bound(context, TextureObject::Kind::texture, lane, operands.textures()[lane]);
        if (!object) return;
        Codes values;
        if (!operands.samplers()) {
          f(object->texture, object->sampler, lanes, values);
        } else {
          const isa::Sampler* given = find_sampler(context, lane, operands.samplers()[lane]);
          if (!given) return;
          isa::Sampler sampler = *given;
          sampler.normalized = object->sampler.normalized && !given->force_unnormalized;
          f(object->texture, sampler, lanes, values);
        }
        write_result(operands, type, lanes, values);
      });
  // All memory of a texture is resident: there are no sparse arrays.
  if (Predicate* resident = operands.resident()) resident->bits |= active;
}

template <bool kSampler, bool kDetail, bool kOffsets, bool kReference>
inline void tex(Texgeom geometry, Texmip mip, isa::Type type, isa::Type coordinates,
                isa::WarpContext& context, WarpLanes who, WarpOperands all) {
  const TextureOperands<kSampler, kDetail, kOffsets, kReference> operands(all);
  Lookup lookup = lookup_of(operands, geometry, coordinates == isa::Type::s32);
  if (mip == Texmip::level) {
    lookup.detail = Lookup::Detail::level;
    lookup.level = operands.level();
  } else if (mip == Texmip::grad) {
    lookup.detail = Lookup::Detail::gradient;
    for (u32 i = 0; i < lookup.dimensions; ++i)
      lookup.dx[i] = operands.dx(i), lookup.dy[i] = operands.dy(i);
  }
  for_each_texture(context, who.active, operands, type,
                   [&](const isa::Texture& texture, const isa::Sampler& sampler, u32 lanes,
                       Codes& values) { sample(texture, sampler, lookup, lanes, values); });
}

/// tex without brackets.
inline void tex_unbracketed(Texgeom geometry, isa::Type type, isa::Type coordinates,
                            isa::WarpContext& context, WarpLanes who, WarpOperands all) {
  tex<false, false, false, false>(geometry, Texmip::none, type, coordinates, context, who, all);
}

template <bool kSampler, bool kOffsets, bool kReference>
inline void tld4(Texcomp component, Texgeom geometry, isa::Type type, isa::WarpContext& context,
                 WarpLanes who, WarpOperands all) {
  const TextureOperands<kSampler, false, kOffsets, kReference> operands(all);
  const Lookup lookup = lookup_of(operands, geometry, false);
  const u32 channel = static_cast<u32>(component) - static_cast<u32>(Texcomp::r);
  for_each_texture(
      context, who.active, operands, type,
      [&](const isa::Texture& texture, const isa::Sampler& sampler, u32 lanes, Codes& values) {
        gather(texture, sampler, lookup, lanes, channel, values);
      });
}

inline void txq(Texquery query, isa::WarpContext& context, WarpLanes who, const u64* a, u32* d) {
  for_each_object(
      context, who.active, TextureObject::Kind::texture, a,
      [&](const TextureObject& object, u32 lane) { d[lane] = property_of(object, query); });
}

inline void txq_level(Texquery query, isa::WarpContext& context, WarpLanes who, const u64* a,
                      const s32* level, u32* d) {
  for_each_object(context, who.active, TextureObject::Kind::texture, a,
                  [&](const TextureObject& object, u32 lane) {
                    d[lane] = extent_of_level(object.texture, query, level[lane]);
                  });
}

inline void txq_sampler(Samplerquery query, isa::WarpContext& context, WarpLanes who, const u64* a,
                        u32* d) {
  for_each_handle(context, who.active, a, nullptr, [&](u32 lane, u32 lanes) {
    if (const isa::Sampler* sampler = find_sampler(context, lane, a[lane]))
      for_each_lane(lanes, [&](u32 i) { d[i] = property_of(*sampler, query); });
  });
}

inline void istypep(isa::Type type, isa::WarpContext& context, WarpLanes who, const u64* a,
                    Predicate& p) {
  const auto kind = type == isa::Type::texref       ? TextureObject::Kind::texture
                    : type == isa::Type::samplerref ? TextureObject::Kind::sampler
                                                    : TextureObject::Kind::surface;
  u32 found = 0;
  for_each_lane(who.active, [&](u32 lane) {
    const TextureObject* object = context.textures->find(a[lane]);
    if (object && object->kind == kind) found |= 1u << lane;
  });
  set_bits(who, p, found);
}

}  // namespace heddle::sem
