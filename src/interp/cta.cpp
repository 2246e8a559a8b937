// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/cta.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/check.h"
#include "interp/fault.h"
#include "ir/print.h"
#include "isa/groups.h"

namespace heddle::interp {
namespace {

using machine::CtaStatus;
using machine::TrapKind;

constexpr u32 kNoStop = 0xffffffffu;
/// Backward branches and calls that a warp makes before the next warp of the CTA has its turn. Also
/// the bound after which a fragment that loops lets the other fragments of its warp go first.
constexpr s64 kTurn = 500;
constexpr u32 kBarriers = 16;
constexpr int kRaised = 1;

u32 lanes_equal(const u32* values, u32 lanes, u32 value) {
  u32 equal = 0;
  for (u32 lane = 0; lane < kLanes; ++lane)
    equal |= static_cast<u32>(values[lane] == value) << lane;
  return equal & lanes;
}

/// The host address that a lane's access starts at.
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
    case AddressBase::params:
      address += warp.params;
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
  return 0;
}

}  // namespace

void raise_trap(Warp& warp, TrapKind kind, u32 lane, const u64* address) {
  warp.trap_kind = kind;
  warp.trap_lane = lane;
  warp.trap_has_address = address != nullptr;
  if (address) warp.trap_address = *address;
  siglongjmp(*warp.recover, kRaised);
}

void trap_on_address(Warp& warp, const Op& op, u32 bytes, u32 alignment) {
  for (u32 rest = warp.mask; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 address = lane_address(warp, op, lane);
    bool inside;
    if (op.window == Window::generic) {
      inside = machine::AddressRange{warp.low_base, warp.low_size}.contains(address, bytes) ||
               machine::AddressRange{warp.high_base, warp.high_size}.contains(address, bytes);
    } else {
      const u64 size = op.window == Window::shared ? warp.shared_size : warp.local_stride;
      inside = machine::AddressRange{0, size}.contains(address, bytes);
    }
    if (!inside) raise_trap(warp, TrapKind::illegal_address, lane, &address);
    if (address % alignment) raise_trap(warp, TrapKind::misaligned_address, lane, &address);
  }
  HEDDLE_UNREACHABLE();
}

std::unique_ptr<machine::Cta> Interpreted::make_cta(machine::Launch& launch) const {
  return std::make_unique<InterpretedCta>(*this, launch);
}

InterpretedCta::InterpretedCta(const Interpreted& program, machine::Launch& launch)
    : program_(program),
      launch_(launch),
      region_(launch.loaded->region()),
      barriers_(kBarriers),
      free_registers_(program.codes.size()) {
  warps_ = static_cast<u32>((launch.config->block.volume() + kLanes - 1) / kLanes);
}

InterpretedCta::~InterpretedCta() {
  machine::Memory& memory = launch_.loaded->memory();
  if (shared_base_) memory.give_shared(region_, shared_base_);
  if (local_base_) memory.give_local(region_, local_base_);
  for (void* block : frame_memory_) std::free(block);
}

Result<bool> InterpretedCta::begin(u64 index) {
  const machine::LaunchConfig& config = *launch_.config;
  machine::Memory& memory = launch_.loaded->memory();
  if (!shared_base_) {
    const auto shared = memory.take_shared(region_, launch_.shared_bytes);
    if (!shared.ok()) return shared.error();
    shared_base_ = *shared;
  }
  if (!local_base_ && program_.local_bytes) {
    local_stride_ =
        (program_.local_bytes + (program_.calls ? config.stack_bytes : 0) + 15) / 16 * 16;
    const auto local = memory.take_local(region_, local_stride_ * warps_ * kLanes);
    if (!local.ok()) return local.error();
    local_base_ = *local;
  }
  cta_ = {static_cast<u32>(index % config.grid.x),
          static_cast<u32>(index / config.grid.x % config.grid.y),
          static_cast<u32>(index / config.grid.x / config.grid.y)};
  active_barriers_ = 0;
  for (Barrier& barrier : barriers_) {
    barrier.active = false;
    barrier.arrived.resize(warps_);
  }
  const u64 threads = config.block.volume();
  const Code& code = *program_.code_of(program_.entry);
  for (u32 w = 0; w < warps_; ++w) {
    if (states_.size() <= w) states_.push_back(std::make_unique<WarpState>());
    WarpState& state = *states_[w];
    const u64 left = threads - u64{w} * kLanes;
    state.alive = left >= kLanes ? kAllLanes : (1u << left) - 1;
    state.identity = {&launch_, cta_, index, w, 0};
    state.specials.resize(program_.special_bytes);
    for (const SpecialUse& use : program_.specials) {
      const bool depends_on_cta =
          use.reg == isa::SpecialRegister::ctaid || use.reg == isa::SpecialRegister::clusterid;
      if (!filled_ || depends_on_cta) {
        fill_special(state.identity, use.reg, use.component, use.bytes,
                     state.specials.data() + use.offset);
      }
    }
    Warp& warp = state.warp;
    warp.blocks[static_cast<u32>(Block::constants)] = const_cast<u8*>(program_.constants.data());
    warp.blocks[static_cast<u32>(Block::specials)] = state.specials.data();
    warp.low_base = memory.low().all.base, warp.low_size = memory.low().all.size;
    warp.high_base = memory.high().all.base, warp.high_size = memory.high().all.size;
    if (!warp.low_size) warp.low_base = warp.high_base, warp.low_size = warp.high_size;
    warp.shared_base = shared_base_, warp.shared_size = launch_.shared_bytes;
    warp.shared_window = machine::kSharedSlot;
    warp.local_base = local_base_ + local_stride_ * w * kLanes, warp.local_stride = local_stride_;
    warp.params = launch_.params, warp.params_size = config.params.size();
    warp.const_base = launch_.loaded->constants().base,
    warp.const_size = launch_.loaded->constants().size;
    warp.recover = &recover_;
    Frame* frame = take_frame(code);
    frame->lanes = state.alive;
    state.fragments.clear();
    state.fragments.push_back(Fragment{frame, 0, state.alive, 0, Wait::none, 0});
  }
  filled_ = true;
  return true;
}

// --- frames
// ----------------------------------------------------------------------------------------------------------

Frame* InterpretedCta::take_frame(const Code& code) {
  Frame* frame;
  if (free_frames_.empty()) {
    frames_.push_back(std::make_unique<Frame>());
    frame = frames_.back().get();
  } else {
    frame = free_frames_.back();
    free_frames_.pop_back();
  }
  *frame = Frame{};
  frame->code = &code;
  std::vector<u8*>& free = free_registers_[code.index];
  if (free.empty()) {
    const std::size_t bytes = std::max<std::size_t>(code.register_bytes, 64);
    void* block = std::aligned_alloc(64, bytes);
    HEDDLE_CHECK(block);
    std::memset(block, 0, bytes);
    frame_memory_.push_back(block);
    frame->registers = static_cast<u8*>(block);
  } else {
    frame->registers = free.back();
    free.pop_back();
  }
  return frame;
}

void InterpretedCta::give_frame(Frame* frame) {
  free_registers_[frame->code->index].push_back(frame->registers);
  free_frames_.push_back(frame);
}

/// `lanes` are gone from the frame for good; the last ones give it back.
void InterpretedCta::leave_frame(Frame* frame, u32 lanes) {
  frame->lanes &= ~lanes;
  if (!frame->lanes) give_frame(frame);
}

// --- scheduling
// ------------------------------------------------------------------------------------------------------

CtaStatus InterpretedCta::run(u64 budget) {
  const WorkingOn working_on(program_.code_of(program_.entry)->function->name.c_str());
  const FaultGuard guard(launch_.loaded->memory(), &recover_, &fault_address_);
  budget_ = static_cast<s64>(budget);
  // What changes between here and the jump lives in this object, not in locals.
  switch (sigsetjmp(recover_, 0)) {
    case 0:
      return run_warps();
    case kRaised: {
      const Warp& warp = current_->warp;
      return trapped(*current_, warp.trap_kind, warp.trap_lane,
                     warp.trap_has_address ? std::optional(warp.trap_address) : std::nullopt);
    }
    default: {
      const Warp& warp = current_->warp;
      u32 culprit = static_cast<u32>(std::countr_zero(warp.mask));
      for (u32 rest = warp.mask; rest; rest &= rest - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(rest));
        const u64 address = lane_address(warp, *warp.op, lane) + window_start(warp, *warp.op, lane);
        if (fault_address_ - address < 128) {
          culprit = lane;
          break;
        }
      }
      return trapped(*current_, TrapKind::illegal_address, culprit, fault_address_);
    }
  }
}

CtaStatus InterpretedCta::run_warps() {
  while (true) {
    bool alive = false, ran = false;
    for (u32 w = 0; w < warps_; ++w) {
      WarpState& state = *states_[w];
      if (!state.alive) continue;
      alive = true;
      if (pick(state) == state.fragments.size()) continue;
      ran = true;
      current_ = &state;
      turn_ = kTurn;
      run_warp(state);
      if (budget_ <= 0) return CtaStatus::running;
    }
    if (!alive) return CtaStatus::finished;
    if (!ran) {
      for (const auto& state : states_) {
        if (!state->alive) continue;
        state->warp.op = nullptr;
        const Fragment& fragment = state->fragments.front();
        state->warp.op = &fragment.frame->code->ops[fragment.pc];
        current_ = state.get();
        detail_ = fragment.wait == Wait::barrier
                      ? fmt::format("all threads that are left wait; these at barrier {}",
                                    fragment.barrier)
                      : "all threads that are left wait; these for members of their warp that do "
                        "not come";
        return trapped(*state, TrapKind::deadlock,
                       static_cast<u32>(std::countr_zero(fragment.mask)), std::nullopt);
      }
    }
  }
}

/// The fragment to run next, or the number of fragments when none can.
std::size_t InterpretedCta::pick(const WarpState& state) const {
  std::size_t best = state.fragments.size();
  for (std::size_t i = 0; i < state.fragments.size(); ++i) {
    const Fragment& one = state.fragments[i];
    if (one.wait != Wait::none) continue;
    if (best == state.fragments.size()) {
      best = i;
      continue;
    }
    const Fragment& other = state.fragments[best];
    if (one.rounds != other.rounds               ? one.rounds < other.rounds
        : one.frame->depth != other.frame->depth ? one.frame->depth > other.frame->depth
                                                 : one.pc < other.pc) {
      best = i;
    }
  }
  return best;
}

/// Fragments at the same place become one. One that waits for members tries again when others join
/// it.
void InterpretedCta::merge(WarpState& state) {
  std::vector<Fragment>& all = state.fragments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size();) {
      const bool same = all[i].frame == all[j].frame && all[i].pc == all[j].pc &&
                        all[i].wait != Wait::barrier && all[j].wait != Wait::barrier;
      if (!same) {
        ++j;
        continue;
      }
      all[i].mask |= all[j].mask;
      all[i].rounds = std::max(all[i].rounds, all[j].rounds);
      all[i].wait = Wait::none;
      all[j] = all.back();
      all.pop_back();
    }
  }
}

void InterpretedCta::run_warp(WarpState& state) {
  while (true) {
    if (state.fragments.size() > 1) merge(state);
    const std::size_t index = pick(state);
    if (index == state.fragments.size()) return;
    run_fragment(state, index);
    if (turn_ <= 0) {
      // Let the others of this warp go first when it comes back.
      if (index < state.fragments.size() && state.fragments.size() > 1)
        ++state.fragments[index].rounds;
      return;
    }
    if (launch_.stop.load(std::memory_order_relaxed)) {
      budget_ = 0;
      return;
    }
  }
}

void InterpretedCta::run_fragment(WarpState& state, std::size_t index) {
  Fragment& fragment = state.fragments[index];
  Frame* const frame = fragment.frame;
  Warp& warp = state.warp;
  warp.blocks[static_cast<u32>(Block::frame)] = frame->registers;
  warp.frame_local = frame->local;
  const Op* const ops = frame->code->ops.data();
  u32 stop = kNoStop;  // where another fragment waits to be joined
  for (const Fragment& other : state.fragments) {
    if (other.frame == frame && other.pc > fragment.pc && other.wait != Wait::barrier)
      stop = std::min(stop, other.pc);
  }
  const u32 mask = fragment.mask;
  u32 pc = fragment.pc;
  while (pc < stop) {
    const Op& op = ops[pc];
    u32 active = mask;
    if (op.guard != kUnguarded) {
      active &= *reinterpret_cast<const u32*>(frame->registers + op.guard) ^ op.guard_flip;
      if (!active) {
        ++pc;
        continue;
      }
    }
    warp.mask = active;
    warp.op = &op;
    if (op.control == Control::none) {
      op.run(warp, op);
      ++pc;
      continue;
    }
    if (op.control == Control::bra && active == mask) {
      const u32 target = static_cast<u32>(op.offset);
      if (target <= pc && (--budget_, --turn_ <= 0)) {
        fragment.pc = target;
        return;
      }
      pc = target;
      continue;
    }
    fragment.pc = pc;
    if (!control(state, index, op, active)) return;
    ++pc;
  }
  fragment.pc = pc;
}

/// Runs a control instruction. True: the fragment, unchanged, goes on at the next one. False: its
/// state says what is next.
bool InterpretedCta::control(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  switch (op.control) {
    case Control::bra: {
      Fragment& fragment = state.fragments[index];
      Fragment taken = fragment;
      taken.pc = static_cast<u32>(op.offset);
      taken.mask = active;
      if (taken.pc <= fragment.pc) --budget_, --turn_;
      fragment.mask &= ~active;
      ++fragment.pc;
      state.fragments.push_back(taken);
      return false;
    }
    case Control::brx_idx:
      branch_indexed(state, index, op, active);
      return false;
    case Control::call:
      call(state, index, op, active);
      return false;
    case Control::finish:
    case Control::ret:
      if (state.fragments[index].frame->caller)
        ret(state, index, active);
      else
        exit(state, index, active);
      return false;
    case Control::exit:
      exit(state, index, active);
      return false;
    case Control::bar_sync:
    case Control::bar_arrive:
    case Control::bar_red:
      barrier(state, index, op, active);
      return false;
    case Control::warp_barrier:
      warp_barrier(state, index, op, active);
      return false;
    case Control::warp_op:
      return member_op(state, index, op, active);
    case Control::refresh_special: {
      const auto& info = isa::special_register_info(static_cast<isa::SpecialRegister>(op.offset));
      fill_special(state.identity, static_cast<isa::SpecialRegister>(op.offset), op.count,
                   isa::type_info(info.type).bits / 8, warp.at<u8>(op.dst[0]));
      return true;
    }
    case Control::nanosleep: {
      // Others go first; the time itself passes for the slowest lane, at most as long as the manual
      // allows (1 ms).
      u32 most = 0;
      for (u32 rest = active; rest; rest &= rest - 1) {
        most = std::max(most, warp.at<const u32>(op.src[0])[std::countr_zero(rest)]);
      }
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(most, 1'000'000u)));
      ++state.fragments[index].pc;
      turn_ = 0;
      return false;
    }
    case Control::trap:
      raise_trap(warp, TrapKind::trap_instruction, static_cast<u32>(std::countr_zero(active)),
                 nullptr);
    case Control::brkpt:
      raise_trap(warp, TrapKind::breakpoint, static_cast<u32>(std::countr_zero(active)), nullptr);
    case Control::none:
      break;
  }
  HEDDLE_UNREACHABLE();
}

// --- branches, calls
// -------------------------------------------------------------------------------------------------

/// Lanes go to the label that their index chooses (9.7.12.4); an index beyond the list is undefined
/// there and a trap here.
void InterpretedCta::branch_indexed(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const std::vector<u32>& table = program_.branch_tables[op.offset];
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

void InterpretedCta::copy_slot(const Warp& warp, const Slot& from, const Frame& from_frame,
                               const Slot& to, const Frame& to_frame, u32 lanes) const {
  const auto locate = [&warp](const Frame& frame, Place p) {
    return p >> 30 == static_cast<u32>(Block::frame) ? frame.registers + (p & 0x3fffffffu)
                                                     : warp.at<u8>(p);
  };
  if (from.bytes == 0 || to.bytes == 0) {  // predicates
    const u32 bits = *reinterpret_cast<const u32*>(locate(from_frame, from.place));
    u32* out = reinterpret_cast<u32*>(locate(to_frame, to.place));
    *out = (*out & ~lanes) | (bits & lanes);
    return;
  }
  const auto lane_at = [&](const Slot& slot, const Frame& frame, u32 lane) {
    if (slot.in_register) return locate(frame, slot.place) + u64{lane} * slot.bytes;
    return reinterpret_cast<u8*>(warp.local_base + warp.local_stride * lane + frame.local +
                                 slot.offset);
  };
  const u32 bytes = std::min(from.bytes, to.bytes);
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    u8* out = lane_at(to, to_frame, lane);
    std::memcpy(out, lane_at(from, from_frame, lane), bytes);
    if (to.bytes > bytes) std::memset(out + bytes, 0, to.bytes - bytes);
  }
}

void InterpretedCta::call(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const CallSite& site = program_.call_sites[op.offset];
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
    if (!callee || !callee->function->has_body || callee->function->is_entry) {
      detail_ = "the register holds no address of a function of this module";
      raise_trap(warp, TrapKind::illegal_call, first, &pointer);
    }
    if (callee->params.size() != site.arguments.size() ||
        callee->returns.size() != site.returns.size()) {
      detail_ = fmt::format(
          "function '{}' takes {} parameters and returns {}; the call passes {} and expects {}",
          callee->function->name, callee->params.size(), callee->returns.size(),
          site.arguments.size(), site.returns.size());
      raise_trap(warp, TrapKind::illegal_call, first, &pointer);
    }
  }
  Frame* const caller = state.fragments[index].frame;
  const u64 local = caller->local + caller->code->local_bytes;
  if (local + callee->local_bytes > local_stride_) {
    detail_ = fmt::format(
        "call of '{}' at depth {} needs {} bytes of local memory, a thread has {}",
        callee->function->name, caller->depth + 1, local + callee->local_bytes, local_stride_);
    raise_trap(warp, TrapKind::stack_overflow, first, nullptr);
  }
  Frame* const frame = take_frame(*callee);
  frame->local = local;
  frame->caller = caller;
  frame->site = &site;
  frame->return_pc = state.fragments[index].pc + 1;
  frame->depth = caller->depth + 1;
  frame->lanes = group;
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    copy_slot(warp, site.arguments[i], *caller, callee->params[i], *frame, group);
  }
  // Lanes with another target stay at the call, lanes that do not call go on behind it.
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
  state.alive &= ~active;
  fragment.mask &= ~active;
  ++fragment.pc;
  if (!fragment.mask) {
    fragment = state.fragments.back();
    state.fragments.pop_back();
  }
  // Who waits for these threads waits no longer.
  for (Fragment& other : state.fragments) {
    if (other.wait == Wait::members) other.wait = Wait::none;
  }
  for (u32 number = 0; active_barriers_ && number < kBarriers; ++number) check_barrier(number);
}

// --- warp-level synchronization
// --------------------------------------------------------------------------------------

/// An instruction over the members that its mask names (`*.sync`): runs for each group of lanes
/// with the same mask once all of its living members are here; the others wait at it.
bool InterpretedCta::member_op(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  if (!op.flags) {  // no member mask: whoever is here
    op.run(warp, op);
    return true;
  }
  const u32* members = warp.at<const u32>(op.src[5]);
  u32 waiting = 0;
  for (u32 rest = active; rest;) {
    const u32 named = members[std::countr_zero(rest)];
    const u32 group = lanes_equal(members, rest, named);
    rest &= ~group;
    if (named & state.alive & ~group) {
      waiting |= group;
    } else {
      warp.mask = group;
      op.run(warp, op);
    }
  }
  if (!waiting) return true;
  Fragment& fragment = state.fragments[index];
  Fragment parked = fragment;
  parked.mask = waiting;
  parked.wait = Wait::members;
  fragment.mask &= ~waiting;
  ++fragment.pc;
  if (fragment.mask) {
    state.fragments.push_back(parked);
  } else {
    fragment = parked;
  }
  return false;
}

/// bar.warp.sync: members may come from different places of the program.
void InterpretedCta::warp_barrier(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const u32* members = state.warp.at<const u32>(op.src[5]);
  {
    Fragment& fragment = state.fragments[index];
    Fragment skipped = fragment;
    skipped.mask &= ~active;
    ++skipped.pc;
    fragment.mask = active;
    fragment.wait = Wait::members;
    const u32 named = members[std::countr_zero(active)];
    const u32 group = lanes_equal(members, active, named);
    Fragment other_group = fragment;
    other_group.mask = active & ~group;
    other_group.wait = Wait::none;
    fragment.mask = group;
    if (skipped.mask) state.fragments.push_back(skipped);
    if (other_group.mask) state.fragments.push_back(other_group);
    u32 present = 0;
    const auto at_warp_barrier = [](const Fragment& one) {
      return one.wait == Wait::members &&
             one.frame->code->ops[one.pc].control == Control::warp_barrier;
    };
    for (const Fragment& one : state.fragments) {
      if (at_warp_barrier(one)) present |= one.mask;
    }
    if (named & state.alive & ~present) return;
    for (Fragment& one : state.fragments) {
      if (at_warp_barrier(one) && (one.mask & named)) {
        one.wait = Wait::none;
        ++one.pc;
      }
    }
  }
}

// --- barriers of the CTA
// ---------------------------------------------------------------------------------------------

void InterpretedCta::barrier(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  const u32* numbers = warp.at<const u32>(op.src[0]);
  const u32 first = static_cast<u32>(std::countr_zero(active));
  const u32 number = numbers[first];
  u32 group = lanes_equal(numbers, active, number);
  u32 count = 0;
  if (op.flags) {
    const u32* counts = warp.at<const u32>(op.src[1]);
    count = counts[first];
    group = lanes_equal(counts, group, count);
  }
  if (number >= kBarriers) {
    detail_ = fmt::format("barrier {} does not exist; a CTA has {}", number, kBarriers);
    raise_trap(warp, TrapKind::illegal_barrier, first, nullptr);
  }
  if (op.flags && (count == 0 || count % kLanes)) {
    detail_ = fmt::format("thread count {} is not a multiple of the warp size", count);
    raise_trap(warp, TrapKind::illegal_barrier, first, nullptr);
  }
  if (count > warps_ * kLanes) {
    detail_ = fmt::format("thread count {} exceeds the CTA's {} threads", count, warps_ * kLanes);
    raise_trap(warp, TrapKind::illegal_barrier, first, nullptr);
  }
  Barrier& barrier = barriers_[number];
  if (!barrier.active) {
    barrier.active = true;
    ++active_barriers_;
    barrier.expected = count;
    barrier.popc = 0;
    barrier.all = true;
    std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
  } else if (barrier.expected != count) {
    detail_ = fmt::format("barrier {} waits for {} threads, this instruction says {}", number,
                          barrier.expected, count);
    raise_trap(warp, TrapKind::illegal_barrier, first, nullptr);
  }
  barrier.arrived[state.identity.warp] |= group;
  if (op.control == Control::bar_red) {
    const u32 bits = *warp.at<const u32>(op.src[2]) & group;
    barrier.popc += static_cast<u32>(std::popcount(bits));
    barrier.all &= bits == group;
  }
  // The lanes that arrived, those that name another barrier, and those that the guard keeps out go
  // separate ways.
  Fragment& fragment = state.fragments[index];
  Fragment skipped = fragment, rest = fragment;
  skipped.mask &= ~active;
  ++skipped.pc;
  rest.mask = active & ~group;
  fragment.mask = group;
  if (op.control == Control::bar_arrive) {
    ++fragment.pc;
  } else {
    fragment.wait = Wait::barrier;
    fragment.barrier = number;
  }
  if (skipped.mask) state.fragments.push_back(skipped);
  if (rest.mask) state.fragments.push_back(rest);
  check_barrier(number);
}

/// Releases the barrier when all have arrived. A warp counts as whole once all its living threads
/// are there (9.7.13.1).
void InterpretedCta::check_barrier(u32 number) {
  const Barrier& barrier = barriers_[number];
  if (!barrier.active) return;
  u32 count = 0;
  bool all = true;
  for (u32 w = 0; w < warps_; ++w) {
    const u32 missing = states_[w]->alive & ~barrier.arrived[w];
    all &= missing == 0;
    if (barrier.arrived[w])
      count += missing ? static_cast<u32>(std::popcount(barrier.arrived[w])) : kLanes;
  }
  if (barrier.expected ? count >= barrier.expected : all) release_barrier(number);
}

void InterpretedCta::release_barrier(u32 number) {
  Barrier& barrier = barriers_[number];
  barrier.active = false;
  --active_barriers_;
  for (const auto& state : states_) {
    for (Fragment& fragment : state->fragments) {
      if (fragment.wait != Wait::barrier || fragment.barrier != number) continue;
      const Op& op = fragment.frame->code->ops[fragment.pc];
      if (op.control == Control::bar_red) {
        u8* at = fragment.frame->registers + (op.dst[0] & 0x3fffffffu);
        const auto boolop = static_cast<sem::Boolop>(op.runtime[0]);
        if (boolop == sem::Boolop::none) {
          for (u32 rest = fragment.mask; rest; rest &= rest - 1) {
            reinterpret_cast<u32*>(at)[std::countr_zero(rest)] = barrier.popc;
          }
        } else {
          const bool result = boolop == sem::Boolop::and_ ? barrier.all : barrier.popc != 0;
          u32& out = *reinterpret_cast<u32*>(at);
          out = result ? out | fragment.mask : out & ~fragment.mask;
        }
      }
      fragment.wait = Wait::none;
      ++fragment.pc;
    }
  }
}

// --- traps
// -----------------------------------------------------------------------------------------------------------

CtaStatus InterpretedCta::trapped(const WarpState& state, TrapKind kind, u32 lane,
                                  std::optional<u64> address) {
  const ir::Module& module = launch_.loaded->module();
  const Op& op = *state.warp.op;
  const ir::Function* function = nullptr;
  for (const Fragment& fragment : state.fragments) {
    const std::vector<Op>& ops = fragment.frame->code->ops;
    if (&op >= ops.data() && &op < ops.data() + ops.size())
      function = fragment.frame->code->function;
  }
  const machine::Dim3& block = launch_.config->block;
  const u32 thread = state.identity.warp * kLanes + lane;
  trap_ = machine::Trap{};
  trap_.kind = kind;
  trap_.kernel = module.functions[program_.entry.value].name;
  trap_.file = module.name;
  trap_.cta = cta_;
  trap_.thread = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
  trap_.address = address;
  trap_.detail = std::move(detail_);
  detail_.clear();
  if (function) {
    trap_.function = function->name;
    if (op.inst < function->insts.size()) {
      const ir::Inst& inst = function->insts[op.inst];
      trap_.instruction = ir::mnemonic(inst);
      trap_.at = inst.at;
      if (inst.at.loc_file) trap_.loc_file = module.files[inst.at.loc_file.value];
    }
  }
  if (address && trap_.detail.empty()) {
    switch (op.window) {
      case Window::shared:
        trap_.detail = fmt::format("the CTA has {} bytes of shared memory", launch_.shared_bytes);
        break;
      case Window::local:
        trap_.detail = fmt::format("a thread has {} bytes of local memory", local_stride_);
        break;
      default:
        if (const auto near = launch_.loaded->memory().nearest(*address)) {
          const bool before = *address < near->base;
          const bool inside = near->contains(*address);
          trap_.detail =
              inside ? fmt::format("inside the allocation of {} bytes at {:#x}", near->size,
                                   near->base)
                     : fmt::format("{} bytes {} the nearest allocation: {} bytes at {:#x}",
                                   before ? near->base - *address : *address - near->end(),
                                   before ? "before" : "after the end of", near->size, near->base);
        }
    }
  }
  return CtaStatus::trapped;
}

}  // namespace heddle::interp
