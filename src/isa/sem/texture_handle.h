// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the handles in a register to the objects of textures, samplers and surfaces (PTX ISA 5.3,
// 9.7.10.1, 9.7.10.6).
#pragma once

#include "isa/sem/lanes.h"
#include "isa/warp_context.h"

namespace heddle::sem {

using isa::TextureObject;
using isa::WarpFault;

/// The object of a handle, if it is of that kind; otherwise null, and the instruction has failed.
inline const TextureObject* find_object(isa::WarpContext& context, TextureObject::Kind kind,
                                        u32 lane, u64 handle) {
  const TextureObject* object = context.textures->find(handle);
  if (!object) {
    context.fail({.kind = WarpFault::Kind::no_handle, .lane = lane, .value = handle});
  } else if (object->kind != kind) {
    context.fail({.kind = WarpFault::Kind::wrong_kind, .lane = lane, .value = handle});
    return nullptr;
  }
  return object;
}

/// One with memory.
inline const TextureObject* find_bound(isa::WarpContext& context, TextureObject::Kind kind,
                                       u32 lane, u64 handle) {
  const TextureObject* object = find_object(context, kind, lane, handle);
  if (!object || object->bound) return object;
  context.fail({.kind = WarpFault::Kind::not_bound, .lane = lane, .value = handle});
  return nullptr;
}

/// The sampler of a lookup: a .samplerref, or that of a texture.
inline const isa::Sampler* find_sampler(isa::WarpContext& context, u32 lane, u64 handle) {
  const TextureObject* object = context.textures->find(handle);
  const bool has = object && object->kind != TextureObject::Kind::surface;
  if (has) return &object->sampler;
  context.fail({.kind = object ? WarpFault::Kind::wrong_kind : WarpFault::Kind::no_handle,
                .lane = lane,
                .value = handle});
  return nullptr;
}

/// f(lane, lanes) for each set of lanes with the same handles, until the instruction has failed;
/// `lane` is one of the set. `second`: more handles, or null.
template <class F>
inline void for_each_handle(isa::WarpContext& context, u32 lanes, const u64* first,
                            const u64* second, F f) {
  while (lanes && !context.failed()) {
    const u32 leader = static_cast<u32>(std::countr_zero(lanes));
    u32 same = 0;
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      const bool equal =
          first[lane] == first[leader] && (!second || second[lane] == second[leader]);
      same |= (equal ? 1u : 0u) << lane;
    }
    same &= lanes;
    f(leader, same);
    lanes &= ~same;
  }
}

/// f(object, lane) for each lane whose handle has an object of that kind with memory; otherwise,
/// and after f has failed, the instruction has failed.
template <class F>
inline void for_each_object(isa::WarpContext& context, u32 lanes, TextureObject::Kind kind,
                            const u64* handles, F f) {
  for_each_handle(context, lanes, handles, nullptr, [&](u32 leader, u32 same) {
    const TextureObject* object = find_bound(context, kind, leader, handles[leader]);
    if (!object) return;
    for_each_lane(same, [&](u32 lane) {
      if (!context.failed()) f(*object, lane);
    });
  });
}

}  // namespace heddle::sem
