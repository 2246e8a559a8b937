// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that the system provides (system_calls.h), for one lane after the other, in
// lane order.
#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/cta.h"

namespace heddle::interp {

using machine::SystemFunction;
using machine::TrapKind;

u64 InterpretedCta::reach(u64 address, u32 bytes) {
  Warp& warp = current_->warp;
  const u32 lane = static_cast<u32>(std::countr_zero(warp.mask));
  if (reports_ && !is_memory(address, bytes)) {
    report(TrapKind::illegal_address, lane, address);
    std::memset(reinterpret_cast<void*>(zeros_), 0, bytes);
    return zeros_;
  }
  if (!warp.memory->is_accessible(address, bytes))
    raise_trap(warp, TrapKind::illegal_address, lane, &address);
  return address;
}

void InterpretedCta::raise(TrapKind kind, const u64* address) {
  Warp& warp = current_->warp;
  raise_trap(warp, kind, static_cast<u32>(std::countr_zero(warp.mask)), address);
}

void InterpretedCta::system_call(WarpState& state, std::size_t index, const CallSite& site,
                                 SystemFunction function, u32 lanes) {
  Warp& warp = state.warp;
  const Frame& frame = *state.fragments[index].frame;
  const u32 all = lanes;
  for (; lanes; lanes &= lanes - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(lanes));
    warp.mask = 1u << lane;  // a fault is this lane's
    u64 arguments[kMostWords] = {};
    u64* to = arguments;
    for (const Slot& slot : site.arguments) {
      std::memcpy(to, slot_address(warp, frame, slot, lane), slot.bytes);
      to += machine::words_in(slot.bytes);
    }
    const u64 result = system_calls_.call(function, thread_of(state, lane), arguments);
    if (!site.returns.empty()) {
      const Slot& slot = site.returns[0];
      std::memcpy(slot_address(warp, frame, slot, lane), &result, std::min<u32>(slot.bytes, 8));
    }
  }
  warp.mask = all;
}

}  // namespace heddle::interp
