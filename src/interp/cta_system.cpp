// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that the system provides: vprintf, malloc, free, __assertfail,
// cudaGraphSetConditional. They run for one lane after the other, in lane order. What they read at
// addresses that the kernel passes may fault; then control leaves by a jump, so nothing on the
// stack here has a destructor.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/cta.h"

namespace heddle::interp {

using machine::SystemFunction;
using machine::TrapKind;

/// Where `bytes` bytes at a generic address are. Traps when they lie outside of all memory; pages
/// without access fault, as they do for loads.
u64 InterpretedCta::check_bits(u64 address, u32 bytes) {
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

u64 InterpretedCta::read_bits(u64 address, u32 bytes) {
  u64 bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(check_bits(address, bytes)), bytes);
  return bits;
}

void InterpretedCta::read_string(u64 address, std::string& text) {
  text.clear();
  if (!address) {
    text = "(null)";
    return;
  }
  while (const u64 character = read_bits(address++, 1))
    text.push_back(static_cast<char>(character));
}

/// Returns what vprintf returns.
u64 InterpretedCta::print(u64 format, u64 arguments) {
  if (!format) return ~u64{0};
  read_string(format, text_);
  arguments_ = machine::printf_arguments(text_);
  values_.resize(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    values_[i].bits = read_bits(arguments + arguments_[i].offset, arguments_[i].bytes);
    if (arguments_[i].is_string) read_string(values_[i].bits, values_[i].text);
  }
  launch_.runtime->print(machine::print_formatted(text_, values_));
  return arguments_.size();
}

/// Says which assertion failed, as CUDA programs do; the first one is the trap's detail.
void InterpretedCta::describe_assertion(const WarpState& state, u32 lane, const u64* arguments) {
  const auto append = [&](u64 address) {
    read_string(address, text_);
    detail_ += text_;
  };
  detail_.clear();
  append(arguments[1]);
  detail_ += fmt::format(":{}: ", static_cast<u32>(arguments[2]));
  append(arguments[3]);
  const machine::Dim3& block = launch_.config->block;
  const u32 thread = state.index * kLanes + lane;
  detail_ +=
      fmt::format(": block: [{},{},{}], thread: [{},{},{}] Assertion `", cta_.x, cta_.y, cta_.z,
                  thread % block.x, thread / block.x % block.y, thread / block.x / block.y);
  append(arguments[0]);
  detail_ += "` failed.";
}

/// What the function returns.
u64 InterpretedCta::provide(const WarpState& state, SystemFunction function, u32 lane,
                            const u64* arguments) {
  Warp& warp = current_->warp;
  machine::DeviceRuntime& runtime = *launch_.runtime;
  switch (function) {
    case SystemFunction::vprintf:
      return print(arguments[0], arguments[1]);
    case SystemFunction::malloc:
      return runtime.allocate(arguments[0], launch_.loaded->module().address_size == 32);
    case SystemFunction::free:
      if (!runtime.release(arguments[0])) {
        detail_ = "free of an address that malloc did not return, or that is free already";
        raise_trap(warp, TrapKind::illegal_address, lane, &arguments[0]);
      }
      break;
    case SystemFunction::assertfail:
      describe_assertion(state, lane, arguments);
      raise_trap(warp, TrapKind::assertion, lane, nullptr);
    case SystemFunction::set_conditional:
      if (!runtime.set_conditional ||
          !runtime.set_conditional(arguments[0], static_cast<u32>(arguments[1]))) {
        detail_ = "cudaGraphSetConditional of a handle that no graph has";
        raise_trap(warp, TrapKind::illegal_address, lane, &arguments[0]);
      }
      break;
    case SystemFunction::none:
      break;
    default:
      return provide_launch(
          cta_index_ * launch_.config->block.volume() + u64{state.index} * kLanes + lane, function,
          arguments);
  }
  return 0;
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
    const u64 result = provide(state, function, lane, arguments);
    if (!site.returns.empty()) {
      const Slot& slot = site.returns[0];
      std::memcpy(slot_address(warp, frame, slot, lane), &result, std::min<u32>(slot.bytes, 8));
    }
  }
  warp.mask = all;
}

}  // namespace heddle::interp
