// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions where fragments wait for each other: instructions over a membermask, bar.warp.sync,
// and the barriers of the CTA (PTX ISA 9.7.13.1, 9.7.13.2).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "interp/cta.h"
#include "isa/groups.h"
#include "machine/membermask.h"

namespace heddle::interp {

using machine::TrapKind;

/// Traps, in a strict launch, when lanes of the group execute the instruction with a membermask
/// that does not name them. All lanes of the group have the same mask.
void InterpretedCta::refuse_strangers(Warp& warp, u32 group, u32 named) {
  const u32 strangers = group & ~named;
  if (!strangers || !launch_.config->strict_membermasks) return;
  const u32 lane = static_cast<u32>(std::countr_zero(strangers));
  detail_ = machine::describe_unnamed_thread(named, lane);
  raise_trap(warp, TrapKind::membermask, lane, nullptr);
}

/// Executes an instruction over the members that its membermask names (`*.sync`), for each group of
/// lanes with the same mask whose members that have not exited are all here. The other groups wait
/// at the instruction. For wrong masks see machine/membermask.h.
bool InterpretedCta::member_op(WarpState& state, std::size_t index, const Op& op, u32 active) {
  Warp& warp = state.warp;
  warp.members = active;
  if (!(op.flags & kMembers)) {  // the members are the active lanes
    op.run(warp, op);
    return true;
  }
  const u32* masks = warp.at<const u32>(op.members);
  u32 waiting = 0;
  const auto run = [&](u32 lanes, u32 named) {
    warp.mask = lanes;
    warp.members = named & active;
    if (lanes) op.run(warp, op);
  };
  for (u32 rest = active; rest;) {
    const u32 named = masks[std::countr_zero(rest)];
    const u32 group = lanes_equal(masks, rest, named);
    rest &= ~group;
    refuse_strangers(warp, group, named);
    const u32 missing = named & state.alive & ~group, others = missing & active;
    // A lane that is here with another mask does not come again if the instruction is in no loop.
    const bool once = others && (op.flags & kInNoLoop) != 0;
    if (once && launch_.config->strict_membermasks) {
      const u32 other = static_cast<u32>(std::countr_zero(others));
      detail_ = machine::describe_other_mask(named, other, masks[other]);
      raise_trap(warp, TrapKind::membermask, static_cast<u32>(std::countr_zero(group)), nullptr);
    }
    const bool waits = (once ? missing & ~active : missing) != 0;
    if (waits) waiting |= group & named;
    run(waits ? group & ~named : group, named);
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

/// Splits the fragment: the threads whose guard does not hold continue at the next instruction. The
/// result is the fragment of the active threads, which stays.
Fragment& InterpretedCta::part(WarpState& state, std::size_t index, u32 active) {
  Fragment skipped = state.fragments[index];
  skipped.mask &= ~active;
  skipped.patience = 0;
  ++skipped.pc;
  state.fragments[index].mask = active;
  if (skipped.mask) state.fragments.push_back(skipped);
  return state.fragments[index];
}

/// bar.warp.sync, whose members may be at different instructions.
void InterpretedCta::warp_barrier(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const u32* members = state.warp.at<const u32>(op.members);
  u32 strangers = 0;
  for (u32 rest = active; rest; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    refuse_strangers(state.warp, 1u << lane, members[lane]);
    strangers |= 1u << lane & ~members[lane];
  }
  if (strangers) {  // they do not wait
    Fragment& passing = part(state, index, strangers);
    ++passing.pc;
    return;
  }
  {
    Fragment& fragment = part(state, index, active);
    fragment.wait = Wait::members;
    const u32 named = members[std::countr_zero(active)];
    const u32 group = lanes_equal(members, active, named);
    Fragment other_group = fragment;
    other_group.mask = active & ~group;
    other_group.wait = Wait::none;
    fragment.mask = group;
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

// --- barriers of the CTA ---

/// The barrier of the first active thread, its thread count (0: all), and the threads that name
/// both.
InterpretedCta::Arrival InterpretedCta::arrival_of(WarpState& state, const Op& op, u32 active) {
  if (op.flags & kOfWarpGroup)
    return {machine::group_barrier(state.index), machine::group_threads(state.index, warps_),
            active};
  Warp& warp = state.warp;
  const u32* numbers = warp.at<const u32>(op.src[0]);
  const u32 first = static_cast<u32>(std::countr_zero(active));
  const u32 number = numbers[first];
  u32 group = op.flags & kKnownBarrier ? active : lanes_equal(numbers, active, number);
  u32 count = 0;
  if (op.flags & kThreadCount) {
    const u32* counts = warp.at<const u32>(op.src[1]);
    count = counts[first];
    group = lanes_equal(counts, group, count);
  }
  std::string why = machine::refuse_barrier(barriers_, number,
                                            op.flags & kThreadCount ? &count : nullptr, warps_);
  if (!why.empty()) {
    detail_ = std::move(why);
    raise_trap(warp, TrapKind::illegal_barrier, first, nullptr);
  }
  return {number, count, group};
}

void InterpretedCta::barrier(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const auto [number, count, group] = arrival_of(state, op, active);
  Barrier& barrier = barriers_[number];
  if (!barrier.active) begin_barrier(number, count);
  barrier.arrived[state.index] |= group;
  if (op.control == Control::bar_red) {
    barrier.vote(*state.warp.at<const u32>(op.src[2]), group);
  }
  // The fragment splits into the lanes that arrived, lanes that name another barrier, and lanes
  // whose guard does not hold.
  Fragment& fragment = part(state, index, active);
  Fragment rest = fragment;
  rest.mask = active & ~group;
  fragment.mask = group;
  if (op.control == Control::bar_arrive) {
    ++fragment.pc;
  } else {
    fragment.wait = Wait::barrier;
    fragment.barrier = number;
  }
  if (rest.mask) state.fragments.push_back(rest);
  check_barrier(number);
}

/// Releases the barrier when all expected threads have arrived.
void InterpretedCta::check_barrier(u32 number) {
  Barrier& barrier = barriers_[number];
  if (!barrier.active) return;
  if (barrier.is_complete([&](u32 w) { return states_[w]->alive; })) release_barrier(number);
}

/// Called when the first threads arrive. `count`: how many are expected; 0: all that have not
/// exited.
void InterpretedCta::begin_barrier(u32 number, u32 count) {
  ++active_barriers_;
  barriers_[number].begin(warps_, count);
}

void InterpretedCta::release_barrier(u32 number) {
  Barrier& barrier = barriers_[number];
  barrier.active = false;
  --active_barriers_;
  turn_ = 0;  // now all warps can run together again
  for (const auto& state : states_) {
    for (Fragment& fragment : state->fragments) {
      if (fragment.wait != Wait::barrier || fragment.barrier != number) continue;
      const Op& op = fragment.frame->code->ops[fragment.pc];
      if (op.control == Control::bar_red) {
        u8* at = fragment.frame->registers + op.dst[0];
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

}  // namespace heddle::interp
