// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt.pack: two s32 clamped to narrow integers and packed (PTX ISA 9.7.9.22).
#pragma once

#include "isa/sem/types.h"

namespace heddle::sem {

/// a and b clamped to `kBits` wide integers; b in the low bits of the result, a above it, then the
/// low bits of c.
template <int kBits, bool kSigned>
constexpr u32 pack_field(s32 x) {
  constexpr s32 high = static_cast<s32>((u32{1} << (kBits - kSigned)) - 1);
  constexpr s32 low = kSigned ? -high - 1 : 0;
  const s32 clamped = x < low ? low : x > high ? high : x;
  return static_cast<u32>(clamped) & ((u32{1} << kBits) - 1);
}
template <int kBits, bool kSigned>
constexpr u32 cvt_pack(s32 a, s32 b) {
  return pack_field<kBits, kSigned>(b) | (pack_field<kBits, kSigned>(a) << kBits);
}
template <int kBits, bool kSigned>
constexpr u32 cvt_pack_onto(s32 a, s32 b, u32 c) {
  return cvt_pack<kBits, kSigned>(a, b) | (c << (2 * kBits));
}

}  // namespace heddle::sem
