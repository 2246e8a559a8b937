// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fragments split and move: indexed branches, calls and returns, exits (PTX ISA 9.7.12).
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "interp/cta.h"
#include "isa/sem/lanes.h"

namespace heddle::interp {

using machine::TrapKind;

/// Each lane goes to the label that its index chooses. The manual leaves an index beyond the list
/// undefined (9.7.12.4); here it is a trap.
void InterpretedCta::branch_indexed(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const std::vector<u32>& table = program_.branch_tables[op.table];
  const u32* indices = state.warp.at<const u32>(op.src[0]);
  --budget_, --turn_;
  const u32 pc = state.fragments[index].pc;
  const Fragment base = state.fragments[index];
  u32 rest = active;
  std::vector<Fragment> targets;
  while (rest) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u32 value = indices[lane];
    const u32 group = lanes_equal(indices, rest, value);
    rest &= ~group;
    if (value >= table.size()) {
      detail_ = fmt::format("index {} into a list of {} labels", value, table.size());
      std::vector<Fragment>().swap(targets);  // raise_trap jumps over destructors
      raise_trap(state.warp, TrapKind::illegal_call, lane, nullptr);
    }
    Fragment target = base;
    target.pc = table[value];
    target.mask = group;
    targets.push_back(target);
  }
  state.fragments[index].mask &= ~active;
  state.fragments[index].pc = pc + 1;
  if (!state.fragments[index].mask) {
    state.fragments[index] = targets.back();
    targets.pop_back();
  }
  state.fragments.insert(state.fragments.end(), targets.begin(), targets.end());
}

/// The address of a lane's value of the slot; of a predicate, the address of all lanes' bits.
u8* InterpretedCta::slot_address(const Warp& warp, const Frame& frame, const Slot& slot, u32 lane) {
  if (!slot.in_register) {
    return reinterpret_cast<u8*>(warp.local_base + warp.local_stride * lane + frame.local +
                                 slot.offset);
  }
  return frame.registers + slot.place + u64{lane} * slot.bytes;
}

void InterpretedCta::copy_slot(const Warp& warp, const Slot& from, const Frame& from_frame,
                               const Slot& to, const Frame& to_frame, u32 lanes) const {
  if (from.bytes == 0 || to.bytes == 0) {  // predicates
    const u32 bits = *reinterpret_cast<const u32*>(slot_address(warp, from_frame, from, 0));
    u32* out = reinterpret_cast<u32*>(slot_address(warp, to_frame, to, 0));
    *out = (*out & ~lanes) | (bits & lanes);
    return;
  }
  const u32 bytes = std::min(from.bytes, to.bytes);
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    u8* out = slot_address(warp, to_frame, to, lane);
    std::memcpy(out, slot_address(warp, from_frame, from, lane), bytes);
    if (to.bytes > bytes) std::memset(out + bytes, 0, to.bytes - bytes);
  }
}

/// The frame of threads that made this call before and are still in the function. Each thread has
/// its own lane of the frame, so threads that call later can reconverge with the others. Null:
/// there is none.
Frame* InterpretedCta::frame_of_call(const WarpState& state, const Frame& caller,
                                     const CallSite& site, const Code& callee) {
  if (state.fragments.size() == 1) return nullptr;
  for (const Fragment& one : state.fragments) {
    for (Frame* frame = one.frame; frame->depth > caller.depth; frame = frame->caller) {
      if (frame->caller == &caller && frame->site == &site && frame->code == &callee) return frame;
    }
  }
  return nullptr;
}

void InterpretedCta::call(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const CallSite& site = program_.call_sites[op.call_site];
  Warp& warp = state.warp;
  const Code* callee = site.direct;
  const u32 first = static_cast<u32>(std::countr_zero(active));
  u32 group = active;
  --budget_, --turn_;
  if (!callee) {
    const auto pointer_of = [&](u32 lane) -> u64 {
      return site.wide_pointer ? warp.at<const u64>(site.pointer)[lane]
                               : warp.at<const u32>(site.pointer)[lane];
    };
    const u64 pointer = pointer_of(first);
    group = 0;
    for (u32 lane = 0; lane < kLanes; ++lane)
      group |= static_cast<u32>(pointer_of(lane) == pointer) << lane;
    group &= active;
    const ir::FunctionId id = launch_.loaded->function_at(pointer);
    callee = id ? program_.code_of(id) : nullptr;
    const bool exists = callee && (callee->function->has_body || callee->system);
    if (!exists || callee->function->is_entry) {
      detail_ = "the register holds no address of a function of this module";
      raise_trap(warp, TrapKind::illegal_call, first, &pointer);
    }
    if (callee->system) {
      detail_ =
          refuse_system_call(*callee->system, site, launch_.loaded->module().address_size / 8);
      if (!detail_.empty()) raise_trap(warp, TrapKind::illegal_call, first, &pointer);
    } else if (callee->params.size() != site.arguments.size() ||
               callee->returns.size() != site.returns.size()) {
      detail_ = fmt::format(
          "function '{}' takes {} parameters and returns {}; the call passes {} and expects {}",
          callee->function->name, callee->params.size(), callee->returns.size(),
          site.arguments.size(), site.returns.size());
      raise_trap(warp, TrapKind::illegal_call, first, &pointer);
    }
  }
  if (callee->system) {
    system_call(state, index, site, callee->system->function, group);
    Fragment& fragment = state.fragments[index];
    Fragment later = fragment;  // lanes with another target stay at the call
    later.mask = active & ~group;
    fragment.mask &= ~later.mask;
    ++fragment.pc;
    if (later.mask) state.fragments.push_back(later);
    return;
  }
  Frame* const caller = state.fragments[index].frame;
  const u64 local = caller->local + caller->code->local_bytes;
  u64 limit = local_stride_;
  if (program_.moves_stack) {
    sem::for_each_lane(group, [&](u32 lane) { limit = std::min(limit, state.stack[lane]); });
  }
  if (local + callee->local_bytes > limit) {
    detail_ =
        fmt::format("call of '{}' at depth {} needs {} bytes of local memory, a thread has {}",
                    callee->function->name, caller->depth + 1, local + callee->local_bytes, limit);
    raise_trap(warp, TrapKind::stack_overflow, first, nullptr);
  }
  Frame* frame = frame_of_call(state, *caller, site, *callee);
  if (frame) {
    frame->lanes |= group;
  } else {
    frame = take_frame(state, *callee, group);
    prepare_for_cta(state, *frame);
    frame->local = local;
    frame->caller = caller;
    frame->site = &site;
    frame->return_pc = state.fragments[index].pc + 1;
    frame->depth = caller->depth + 1;
  }
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    copy_slot(warp, site.arguments[i], *caller, callee->params[i], *frame, group);
  }
  // Lanes with another target stay at the call. Lanes that do not call continue behind it.
  const Fragment base = state.fragments[index];
  const u32 later = active & ~group;
  const u32 skipped = base.mask & ~active;
  Fragment inside = base;
  inside.frame = frame;
  inside.pc = 0;
  inside.mask = group;
  state.fragments[index] = inside;
  if (later) {
    Fragment rest = base;
    rest.mask = later;
    state.fragments.push_back(rest);
  }
  if (skipped) {
    Fragment rest = base;
    rest.mask = skipped;
    ++rest.pc;
    state.fragments.push_back(rest);
  }
}

void InterpretedCta::ret(WarpState& state, std::size_t index, u32 active) {
  const Fragment base = state.fragments[index];
  Frame* const frame = base.frame;
  for (std::size_t i = 0; i < frame->site->returns.size(); ++i) {
    copy_slot(state.warp, frame->code->returns[i], *frame, frame->site->returns[i], *frame->caller,
              active);
  }
  if (frame->code->moves_stack) {
    const auto* saved =
        reinterpret_cast<const u64*>(frame->registers + frame->code->stack_at_entry);
    sem::for_each_lane(active, [&](u32 lane) { state.stack[lane] = saved[lane]; });
  }
  Fragment back = base;
  back.frame = frame->caller;
  back.pc = frame->return_pc;
  back.mask = active;
  state.fragments[index] = back;
  if (base.mask & ~active) {
    Fragment rest = base;
    rest.mask = base.mask & ~active;
    ++rest.pc;
    state.fragments.push_back(rest);
  }
  leave_frame(frame, active);
}

void InterpretedCta::exit(WarpState& state, std::size_t index, u32 active) {
  Fragment& fragment = state.fragments[index];
  for (Frame* frame = fragment.frame; frame;) {
    Frame* const caller = frame->caller;
    leave_frame(frame, active);
    frame = caller;
  }
  fragment.mask &= ~active;
  ++fragment.pc;
  if (!fragment.mask) {
    if (index + 1 < state.fragments.size()) fragment = state.fragments.back();
    state.fragments.pop_back();
  }
  leave(state, active);
}

/// The threads of the lanes have exited. Fragments that wait for members of the warp check again
/// who is missing.
void InterpretedCta::leave(WarpState& state, u32 lanes) {
  state.alive &= ~lanes;
  if (!state.alive) --alive_warps_;
  for (Fragment& other : state.fragments) {
    if (other.wait == Wait::members) other.wait = Wait::none;
  }
  check_waiters();
}

/// Threads have exited: a barrier may have waited for these threads only.
void InterpretedCta::check_waiters() {
  for (u32 number = 0; active_barriers_ && number < machine::kAllBarriers; ++number)
    check_barrier(number);
  if (cluster_->barrier_active) check_cluster_barrier();
}

}  // namespace heddle::interp
