// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of whole warps whose addresses are affine in the lane: the address of lane 0
// gives all addresses (analysis/leads.cpp).
#pragma once

#include "interp/op.h"

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

/// The address of lane 0 in each warp, and the range of legal addresses.
template <class A>
struct LeadAddresses {
  Place place;  ///< of the base register, or of a zero; its lanes have the type A
  A offset;
  u64 start = 0, size = 0, base = 0;

  LeadAddresses(const Gang& gang, Window window, Place place, u64 offset)
      : place(place), offset(static_cast<A>(offset)) {
    const Warp& warp = *gang.warps[0];
    if (window == Window::shared) {
      size = warp.shared_size;
      base = warp.shared_base;
      return;
    }
    const bool high = of(gang.frames[0]) - warp.high_base < warp.high_size;
    start = high ? warp.high_base : warp.low_base;
    size = high ? warp.high_size : warp.low_size;
  }
  u64 of(const u8* frame) const {
    return u64{static_cast<A>(*reinterpret_cast<const A*>(frame + place) + offset)};
  }
};

/// Calls `access(frame, host address)` for each warp of the gang, which accesses `bytes` bytes
/// there. The lanes of the base register have the type A. False: an access is not legal; the
/// handler returns the instruction, which is executed again with the addresses of all lanes.
template <class A, class Access>
[[gnu::always_inline]] inline bool access_by_lead(Gang& gang, const Op* op, u64 bytes,
                                                  u64 alignment, Access access) {
  // Copies that the stores of the loop cannot change.
  const u32 count = gang.count;
  const LeadAddresses<A> addresses(gang, op->window, op->src[0], op->offset);
  if (addresses.size < bytes) [[unlikely]]
    return false;
  const u64 room = addresses.size - bytes;
  gang.op = op;
  for (u32 k = 0; k < count; ++k) {
    u8* const frame = gang.frames[k];
    const u64 address = addresses.of(frame);
    if (address - addresses.start > room || (address & (alignment - 1))) [[unlikely]]
      return false;
    gang.current = k;
    access(frame, addresses.base + address);
  }
  return true;
}

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
