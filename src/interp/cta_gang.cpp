// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole warps that run together (Gang, op.h): from where they start, or from a barrier, to where
// they part or end. PTX leaves the order in which warps run open (3.1), so this is one of the
// orders that they may run in.
#include "interp/cta.h"

namespace heddle::interp {
namespace {

/// Registers of a gang are to stay in the first-level cache, beside what memory holds.
constexpr std::size_t kRegisterCache = 48 * 1024;

}  // namespace

/// Whether all threads of the warp stand at one place and can go on from there.
bool InterpretedCta::is_whole(const WarpState& state) {
  return state.fragments.size() == 1 && state.fragments[0].mask == kAllLanes &&
         state.fragments[0].wait == Wait::none;
}

/// How many warps, from `first` on, can run together; 0: not even that one as a whole. Either all
/// of them have started or none.
u32 InterpretedCta::count_gang(u32 first) const {
  const WarpState& lead = *states_[first];
  u32 count = 0;
  for (u32 w = first; w < warps_ && count < most_in_gang_; ++w, ++count) {
    const WarpState& state = *states_[w];
    if (state.alive != kAllLanes || state.started != lead.started) break;
    if (!state.started) continue;
    if (!is_whole(state)) break;
    const Fragment& mine = state.fragments[0];
    const Fragment& leads = lead.fragments[0];
    if (mine.pc != leads.pc || &mine.frame->ops() != &leads.frame->ops()) break;
  }
  return count;
}

/// Their next instruction. Warps that have not started take frames, and nothing else: most of them
/// run to their end without a pause and never need more.
const Op* InterpretedCta::gather(u32 first, u32 count) {
  gang_first_ = first;
  bool prepared = true;
  for (u32 k = 0; k < count; ++k) {
    WarpState& state = *states_[first + k];
    Frame& frame =
        state.started ? *state.fragments[0].frame : *take_frame(state, *entry_, kAllLanes);
    gang_frames_[k] = &frame;
    show_frame(state.warp, frame);
    gang_.add(state.warp);
    prepared &= frame.cta == cta_index_;
    frame.cta = cta_index_;
  }
  const Code& code = *gang_frames_[0]->code;
  if (!prepared) prepare_for_cta(gang_, code);
  const WarpState& lead = *states_[first];
  return gang_frames_[0]->ops().data() + (lead.started ? lead.fragments[0].pc : 0);
}

/// Runs them until their turn is over or they have ended: true. False: each has to go on by itself.
bool InterpretedCta::run_gang(u32 first, u32 count) {
  turn_ = kTurn;
  while (turn_ > 0 && budget_ > 0) {
    const Op& op = *run_whole(gather(first, count));
    const bool ends =
        op.control == Control::exit || op.control == Control::ret || op.control == Control::finish;
    if (ends && !gang_frames_[0]->caller && op.guard == kNoPlace) {
      end_gang(first, count);
      return true;
    }
    for (u32 k = 0; k < count; ++k) {
      WarpState& state = *states_[first + k];
      if (!state.started) start(state, *gang_frames_[k]);
    }
    if (is_whole_barrier(op)) {
      arrive_together(first, count, op);
      return true;
    }
    for (u32 k = 0; k < count; ++k) step(*states_[first + k], op);
    if (op.control == Control::bra && op.jump <= 0) --budget_, --turn_;
    if (launch_.stop.load(std::memory_order_relaxed)) budget_ = 0;
    if (count_gang(first) < count) return false;
  }
  return true;
}

/// All of its threads are gone. The frames go back in an order that gives them to the same warps of
/// the next CTA.
void InterpretedCta::end_gang(u32 first, u32 count) {
  for (u32 k = count; k-- > 0;) {
    WarpState& state = *states_[first + k];
    give_frame(gang_frames_[k]);
    state.fragments.clear();
    state.started = true;
    state.alive = 0;
  }
  alive_warps_ -= count;
  check_waiters();
}

/// The gang runs up to an instruction that each warp does by itself: a control instruction, or the
/// branch at which the turn or the CTA's budget may end.
const Op* InterpretedCta::run_whole(const Op* op) {
  const s64 most = std::min(turn_, budget_) - 1;
  gang_.turns = most;
  op = run_full(gang_, op);
  while (all_are_at_barrier(*op)) op = run_full(gang_, op + 1);
  turn_ -= most - gang_.turns;
  budget_ -= most - gang_.turns;
  gang_.count = 0;
  return op;
}

/// A wait of whole warps for all threads of the CTA, at a barrier where nobody waits for fewer.
bool InterpretedCta::is_whole_barrier(const Op& op) const {
  if (op.control != Control::bar_sync || op.guard != kNoPlace || op.flags != kKnownBarrier)
    return false;
  const u32 number = number_of_barrier(op);
  return number < kBarriers && (!barriers_[number].active || !barriers_[number].expected);
}

/// All threads of the CTA that are left are in the gang, and at a barrier that nobody else is at.
bool InterpretedCta::all_are_at_barrier(const Op& op) const {
  return gang_.count == alive_warps_ && is_whole_barrier(op) &&
         !barriers_[number_of_barrier(op)].active;
}

void InterpretedCta::arrive_together(u32 first, u32 count, const Op& op) {
  const u32 number = number_of_barrier(op);
  Barrier& barrier = barriers_[number];
  if (!barrier.active) begin_barrier(number, 0);
  const Op* const ops = gang_frames_[0]->ops().data();
  for (u32 w = first; w < first + count; ++w) {
    Fragment& fragment = states_[w]->fragments[0];
    fragment.pc = static_cast<u32>(&op - ops);
    fragment.wait = Wait::barrier;
    fragment.barrier = number;
    barrier.arrived[w] = kAllLanes;
  }
  check_barrier(number);
}

/// One instruction at which run_whole() stopped, by one whole warp. Unless it is a control
/// instruction, it only needs registers with all their lanes.
void InterpretedCta::step(WarpState& state, const Op& op) {
  Warp& warp = state.warp;
  Fragment& fragment = state.fragments[0];
  current_ = &state;
  fragment.pc = static_cast<u32>(&op - fragment.frame->ops().data());
  if (op.control == Control::none) {
    fragment.pc = first_of_inst(*fragment.frame, op);
    return spread(*fragment.frame);
  }
  const u32 active = active_lanes(warp, op, kAllLanes);
  if (!active) {
    ++fragment.pc;
    return;
  }
  warp.mask = active;
  warp.op = &op;
  if (op.control == Control::bra && active == kAllLanes)
    fragment.pc = static_cast<u32>(op.offset);
  else if (control(state, 0, op, active))
    ++state.fragments[0].pc;
}

/// Gangs of the program: how many warps' registers stay in the cache.
u32 InterpretedCta::most_in_gang(const Code& code) {
  std::size_t bytes = code.below.size() + code.register_bytes + 1;
  for (const AffineRegister& one : code.affine) bytes -= (kLanes - 1) * one.bytes;
  return std::clamp<u32>(static_cast<u32>(kRegisterCache / bytes), 1, kMostInGang);
}

}  // namespace heddle::interp
