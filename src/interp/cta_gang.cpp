// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole warps that run together (Gang, op.h): from where they start, or from a barrier, to where
// they part or end. PTX leaves the order in which warps run open (3.1), so this is one of the
// orders that they may run in.
#include "interp/cta.h"

namespace heddle::interp {
namespace {

/// Registers of a gang are to stay in the first-level cache, beside what memory holds.
constexpr std::size_t kRegisterCache = 32 * 1024;

}  // namespace

/// Whether all threads of the warp stand at one place and can go on from there.
bool InterpretedCta::is_whole(const WarpState& state) {
  return state.fragments.size() == 1 && state.fragments[0].mask == kAllLanes &&
         state.fragments[0].wait == Wait::none;
}

/// How many warps, from `first` on, can run together; 0: not even that one as a whole. Those that
/// have not started do.
u32 InterpretedCta::form_gang(u32 first) {
  const Fragment* lead = nullptr;
  u32 count = 0;
  for (u32 w = first; w < warps_ && count < most_in_gang_; ++w, ++count) {
    WarpState& state = *states_[w];
    if (state.alive != kAllLanes) break;
    if (!state.started) {
      if (lead && (lead->pc != 0 || lead->frame->code != entry_)) break;
      start(state);
    }
    if (!is_whole(state)) break;
    const Fragment& fragment = state.fragments[0];
    if (!lead) lead = &fragment;
    if (fragment.pc != lead->pc || fragment.frame->code != lead->frame->code) break;
  }
  return count;
}

/// Runs them until their turn is over or they have ended: true. False: each has to go on by itself.
bool InterpretedCta::run_gang(u32 first, u32 count) {
  turn_ = kTurn;
  while (turn_ > 0 && budget_ > 0) {
    gang_first_ = first;
    bool prepared = true;
    for (u32 w = first; w < first + count; ++w) {
      Frame& frame = *states_[w]->fragments[0].frame;
      show_frame(states_[w]->warp, frame);
      gang_.add(states_[w]->warp);
      prepared &= frame.cta == cta_index_;
      frame.cta = cta_index_;
    }
    const Fragment& lead = states_[first]->fragments[0];
    if (!prepared) prepare_for_cta(gang_, *lead.frame->code);
    const bool in_kernel = !lead.frame->caller;
    const Op& op = *run_whole(&lead.frame->code->ops[lead.pc]);
    const bool ends =
        op.control == Control::exit || op.control == Control::ret || op.control == Control::finish;
    if (ends && in_kernel && op.guard == kNoPlace) {
      // In this order the same warps of the next CTA get the same frames.
      for (u32 w = first + count; w-- > first;) {
        leave_frame(states_[w]->fragments[0].frame, kAllLanes);
        states_[w]->fragments.clear();
        leave(*states_[w], kAllLanes);
      }
      return true;
    }
    for (u32 w = first; w < first + count; ++w) step(*states_[w], op);
    if (op.control == Control::bra && op.jump <= 0) --budget_, --turn_;
    if (launch_.stop.load(std::memory_order_relaxed)) budget_ = 0;
    if (form_gang(first) < count) return false;
  }
  return true;
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

/// All threads of the CTA that are left are in the gang, and at a barrier that nobody else is at.
bool InterpretedCta::all_are_at_barrier(const Op& op) const {
  if (op.control != Control::bar_sync || op.guard != kNoPlace || op.flags != kKnownBarrier)
    return false;
  const u32 number = *gang_.warps[0]->at<const u32>(op.src[0]);
  return gang_.count == alive_warps_ && number < kBarriers && !barriers_[number].active;
}

/// One instruction at which run_whole() stopped, by one whole warp.
void InterpretedCta::step(WarpState& state, const Op& op) {
  Warp& warp = state.warp;
  Fragment& fragment = state.fragments[0];
  current_ = &state;
  fragment.pc = static_cast<u32>(&op - fragment.frame->code->ops.data());
  const u32 active = op.guard == kNoPlace ? kAllLanes : guarded_lanes(warp, op);
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
  const std::size_t bytes = std::max<std::size_t>(code.below.size() + code.register_bytes, 1);
  return std::clamp<u32>(static_cast<u32>(kRegisterCache / bytes), 1, kMostInGang);
}

}  // namespace heddle::interp
