// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl (PTX ISA 9.7.9.5, 9.7.9.6). If the source lane does not take part, PTX leaves the value
// undefined; here it is the value of that lane's register.
#pragma once

#include "isa/groups.h"
#include "isa/sem/lanes.h"

namespace heddle::sem {

using isa::Shflmode;

struct ShuffleSource {
  u32 lane;
  bool in_range;
};

/// The source lane of `lane`. `c` packs the clamp value (4:0) and the segment mask (12:8).
constexpr ShuffleSource shuffle_source(Shflmode mode, u32 lane, u32 b, u32 c) {
  const s32 own = static_cast<s32>(lane);
  const s32 offset = static_cast<s32>(b & 31);
  const s32 clamp = static_cast<s32>(c & 31);
  const s32 segment = static_cast<s32>(c >> 8 & 31);
  const s32 first = own & segment;
  const s32 limit = first | (clamp & ~segment);
  s32 source = 0;
  switch (mode) {
    case Shflmode::up:
      source = own - offset;
      break;
    case Shflmode::down:
      source = own + offset;
      break;
    case Shflmode::bfly:
      source = own ^ offset;
      break;
    default:
      source = first | (offset & ~segment);
      break;  // idx
  }
  const bool in_range = mode == Shflmode::up ? source >= limit : source <= limit;
  return {static_cast<u32>(in_range ? source : own), in_range};
}

/// Whether all lanes read the same lane, in range, and there is one segment: the usual `idx`.
constexpr bool is_broadcast(const u32* b, const u32* c) {
  u32 different = (c[0] >> 8 & 31) | static_cast<u32>((b[0] & 31) > (c[0] & 31));
  for (u32 lane = 0; lane < kWarpSize; ++lane) different |= (b[lane] ^ b[0]) | (c[lane] ^ c[0]);
  return !different;
}

/// Over all lanes, in loops without branches. Returns who is in range.
template <Shflmode kMode>
constexpr u32 shuffle_by(u32 members, const u32* a, const u32* b, const u32* c, u32* d) {
  if (kMode == Shflmode::idx && is_broadcast(b, c)) {
    const u32 value = a[b[0] & 31];
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      d[lane] = (members >> lane & 1) != 0 ? value : d[lane];
    return members;
  }
  u32 from[kWarpSize] = {}, inside[kWarpSize] = {};
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const ShuffleSource source = shuffle_source(kMode, lane, b[lane], c[lane]);
    from[lane] = source.lane;
    inside[lane] = source.in_range;
  }
  u32 result[kWarpSize] = {};
  u32 in_range = 0;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    result[lane] = a[from[lane]];
    in_range |= inside[lane] << lane;
  }
  for (u32 lane = 0; lane < kWarpSize; ++lane)
    d[lane] = (members >> lane & 1) != 0 ? result[lane] : d[lane];
  return in_range & members;
}

/// `p`: whether the source lane is in range.
constexpr void shuffle(Shflmode mode, WarpLanes who, const u32* a, const u32* b, const u32* c,
                       u32* d, Predicate& p) {
  switch (mode) {
    case Shflmode::up:
      return set_bits(who, p, shuffle_by<Shflmode::up>(who.active, a, b, c, d));
    case Shflmode::down:
      return set_bits(who, p, shuffle_by<Shflmode::down>(who.active, a, b, c, d));
    case Shflmode::bfly:
      return set_bits(who, p, shuffle_by<Shflmode::bfly>(who.active, a, b, c, d));
    default:
      return set_bits(who, p, shuffle_by<Shflmode::idx>(who.active, a, b, c, d));
  }
}

}  // namespace heddle::sem
