// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traps: how an instruction is abandoned, and the message about it.
#include <fmt/format.h>

#include <bit>

#include "base/check.h"
#include "interp/bulk_tensor_ops.h"
#include "interp/cta.h"

namespace heddle::interp {

using machine::CtaStatus;
using machine::TrapKind;

u64 lane_address(const Warp& warp, const Op& op, u32 lane) {
  u64 address = op.offset;
  switch (op.base) {
    case AddressBase::reg64:
      address += warp.at<const u64>(op.src[0])[lane];
      break;
    case AddressBase::reg32:
      address = static_cast<u32>(address + warp.at<const u32>(op.src[0])[lane]);
      break;
    case AddressBase::absolute:
      break;
    case AddressBase::frame:
      address += warp.frame_local;
      break;
  }
  return address;
}

u64 window_start(const Warp& warp, const Op& op, u32 lane) {
  if (op.window == Window::shared) return warp.shared_base;
  if (op.window == Window::local) return warp.local_base + warp.local_stride * lane;
  if (op.window == Window::param) return warp.params;
  return 0;
}

void raise_trap(Warp& warp, TrapKind kind, u32 lane, const u64* address) {
  warp.trap_kind = kind;
  warp.trap_lane = lane;
  warp.trap_has_address = address != nullptr;
  if (address) warp.trap_address = *address;
  siglongjmp(*warp.recover, kTrapRaised);
}

void check_each_lane(Warp& warp, const Op& op, u32 bytes, u32 alignment) {
  machine::AddressRange legal;  // the range of the lane before, in which most addresses lie
  if (op.window == Window::shared) legal = {0, warp.shared_size};
  if (op.window == Window::local) legal = {0, warp.local_stride};
  if (op.window == Window::param) legal = {0, warp.params_size};
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 address = lane_address(warp, op, lane);
    if (op.window == Window::generic && !legal.contains(address))
      legal = warp.memory->accessible(address);
    if (!legal.contains(address, bytes))
      raise_trap(warp, TrapKind::illegal_address, lane, &address);
    if (address % alignment) raise_trap(warp, TrapKind::misaligned_address, lane, &address);
  }
}

/// Called when an access hit a page without access: finds the lane that made it.
CtaStatus InterpretedCta::faulted() {
  Warp& warp = current_->warp;
  u32 culprit = static_cast<u32>(std::countr_zero(warp.mask));
  if (is_bulk_tensor(*warp.op)) {
    detail_ = describe_box(warp, *warp.op, culprit, fault_.address);
    return trapped(*current_, TrapKind::illegal_address, culprit, fault_.address);
  }
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 address = lane_address(warp, *warp.op, lane) + window_start(warp, *warp.op, lane);
    if (fault_.address - address < 128) {
      culprit = lane;
      break;
    }
  }
  return trapped(*current_, TrapKind::illegal_address, culprit, fault_.address);
}

CtaStatus InterpretedCta::trapped(const WarpState& state, TrapKind kind, u32 lane,
                                  std::optional<u64> address) {
  const ir::Module& module = launch_.loaded->module();
  const Op& op = *state.warp.op;
  const ir::Function* function = nullptr;
  for (const auto& [id, code] : program_.codes) {
    for (const std::vector<Op>* ops : {&code->ops, &code->whole_ops}) {
      if (&op >= ops->data() && &op < ops->data() + ops->size()) function = code->function;
    }
  }
  trap_ = machine::trap_at(kind, module, program_.entry, function, op.inst, launch_.config->block,
                           cta_, state.index * kLanes + lane);
  trap_.address = address;
  trap_.detail = std::move(detail_.empty() ? handler_detail_.text : detail_);
  detail_.clear();
  handler_detail_.text.clear();
  if (address && trap_.detail.empty()) {
    switch (op.window) {
      case Window::shared:
        trap_.address = machine::used_shared_address(*address, rank_of(state.warp));
        trap_.detail =
            machine::describe_shared_address(*trap_.address, rank_of(state.warp), launch_);
        break;
      case Window::local:
        trap_.detail = fmt::format("a thread has {} bytes of local memory", local_stride_);
        break;
      case Window::param:
        trap_.detail =
            fmt::format("the kernel has {} bytes of parameters", launch_.config->params.size());
        break;
      default:
        trap_.detail = machine::describe_address(launch_.loaded->memory(), *address);
    }
  }
  return CtaStatus::trapped;
}

}  // namespace heddle::interp
