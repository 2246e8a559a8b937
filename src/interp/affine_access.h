// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to memory of whole warps whose addresses are known to be affine in the lane: lane 0
// tells them all (decode_affine.cpp).
#pragma once

#include "interp/op.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

/// Calls `access(frame, host address)` for each warp of the gang, which accesses `bytes` bytes
/// there; A: the lanes of the base register, or of a zero. False: that is not legal, so the
/// instruction is handed back and begins anew with all lanes' addresses.
template <class A, class Access>
[[gnu::always_inline]] inline bool access_by_lead(Gang& gang, const Op* op, u64 bytes,
                                                  u64 alignment, Access access) {
  const Warp& warp = *gang.warps[0];
  // What the loop needs, out of the way of its stores.
  const u32 count = gang.count;
  const Place place = op->src[0];
  const A offset = static_cast<A>(op->offset);
  const auto address_in = [=](const u8* frame) {
    return u64{static_cast<A>(*reinterpret_cast<const A*>(frame + place) + offset)};
  };
  u64 start = 0, size = warp.shared_size, base = warp.shared_base;
  if (op->window != Window::shared) {
    const bool high = address_in(gang.frames[0]) - warp.high_base < warp.high_size;
    start = high ? warp.high_base : warp.low_base;
    size = high ? warp.high_size : warp.low_size;
    base = 0;
  }
  if (size < bytes) [[unlikely]]
    return false;
  const u64 room = size - bytes;
  gang.op = op;
  for (u32 k = 0; k < count; ++k) {
    u8* const frame = gang.frames[k];
    const u64 address = address_in(frame);
    if (address - start > room || (address & (alignment - 1))) [[unlikely]]
      return false;
    gang.current = k;
    access(frame, base + address);
  }
  return true;
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
