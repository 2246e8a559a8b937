// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gangs: warps that have not diverged and run together (Gang, op.h), from their start or a barrier
// to their divergence, another barrier, or their end. PTX leaves the order in which warps run open
// (3.1); a gang is one of the possible orders.
#include "interp/cta.h"
#include "machine/launch.h"

namespace heddle::interp {
namespace {

/// The share of the first-level cache that the registers of a gang may fill; the rest is for other
/// memory.
constexpr std::size_t kRegisterCache = 48 * 1024;

}  // namespace

/// Whether the warp has not diverged, has no exited threads, and does not wait.
bool InterpretedCta::is_whole(const WarpState& state) {
  return state.fragments.size() == 1 && state.fragments[0].mask == kAllLanes &&
         state.fragments[0].wait == Wait::none;
}

/// How many warps, from `first` on, can run as a gang. 0: the first warp has diverged or waits.
/// Either all of these warps have started or none has.
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

/// Forms a gang of `count` warps, which are at one instruction. Warps that have not started get
/// frames and nothing else: most of them run to their end without a pause, and need no more.
void InterpretedCta::gather(WarpGang& all, u32 first, u32 count) {
  all.first = first;
  all.gang.count = 0;
  bool prepared = true;
  for (u32 k = 0; k < count; ++k) {
    WarpState& state = *states_[first + k];
    Frame& frame =
        state.started ? *state.fragments[0].frame : *take_frame(state, *entry_, kAllLanes);
    all.frames[k] = &frame;
    show_frame(state.warp, frame);
    all.gang.add(state.warp);
    prepared &= frame.cta == cta_index_;
  }
  const WarpState& lead = *states_[first];
  if (!prepared) prepare_for_cta(all.gang, *all.frames[0]->code);
  all.op = all.frames[0]->ops().data() + (lead.started ? lead.fragments[0].pc : 0);
}

/// Runs the gang up to an instruction that each warp executes by itself: a control instruction, or
/// the branch at which the turn or the CTA's budget may end.
void InterpretedCta::run_whole(WarpGang& all) {
  const s64 most = std::min(turn_, budget_) - 1;
  all.gang.turns = most;
  running_ = &all;
  all.op = run_full(all.gang, all.op);
  running_ = nullptr;
  turn_ -= most - all.gang.turns;
  budget_ -= most - all.gang.turns;
}

/// Whether the gang's threads exit at the instruction where it stopped.
bool InterpretedCta::is_at_end(const WarpGang& all) {
  const Control what = all.op->control;
  return (what == Control::exit || what == Control::ret || what == Control::finish) &&
         !all.frames[0]->caller && all.op->guard == kNoPlace;
}

/// Each warp executes the instruction where the gang stopped. True: the gang's turn is over.
bool InterpretedCta::settle(const WarpGang& all) {
  const u32 first = all.first, count = all.gang.count;
  for (u32 k = 0; k < count; ++k) all.frames[k]->cta = cta_index_;
  if (is_at_end(all)) {
    end_gang(all);
    return true;
  }
  for (u32 k = 0; k < count; ++k) {
    WarpState& state = *states_[first + k];
    if (!state.started) start(state, *all.frames[k]);
  }
  if (is_at_whole_barrier(all)) {
    arrive_together(all);
    return true;
  }
  for (u32 k = 0; k < count; ++k) step(*states_[first + k], *all.op);
  if (all.op->control == Control::bra && all.op->jump <= 0) --budget_, --turn_;
  if (machine::is_over(launch_)) budget_ = 0;
  return false;
}

/// Runs a gang of these warps. True: its turn is over, or its threads have exited. False: the warps
/// continue one by one.
bool InterpretedCta::run_gang(u32 first, u32 count) {
  turn_ = kTurn;
  while (turn_ > 0 && budget_ > 0) {
    gather(gangs_[0], first, count);
    run_whole(gangs_[0]);
    if (settle(gangs_[0])) return true;
    if (count_gang(first) < count) return false;
  }
  return true;
}

/// Forms gangs of all warps that have not exited. False: some warp cannot be in a gang.
bool InterpretedCta::form_gangs() {
  gang_count_ = 0;
  for (u32 w = 0, count = 0; w < warps_; w += count) {
    count = states_[w]->alive ? count_gang(w) : 1;
    if (!count) return false;
    if (!states_[w]->alive) continue;
    gangs_[gang_count_].first = w;
    gangs_[gang_count_++].gang.count = count;
  }
  for (WarpGang& one : gangs()) gather(one, one.first, one.gang.count);
  return true;
}

/// If all warps that have not exited can be in gangs: runs the gangs in turn from barrier to
/// barrier, without scheduling of single warps, until a gang stops at another instruction. False:
/// nothing ran. Gangs that run the CTA from its beginning to its end stay as they are for the next
/// CTA.
bool InterpretedCta::run_between_barriers() {
  if (gangs_stay_) {
    for (WarpGang& one : gangs()) {
      const Code& code = *one.frames[0]->code;
      prepare_for_cta(one.gang, code);
      one.op = one.frames[0]->ops().data();
    }
  } else if (!form_gangs()) {
    return false;
  }
  WarpGang& lead = gangs_[0];
  bool together = true;
  while (true) {
    for (WarpGang& one : gangs()) {
      turn_ = kTurn;
      run_whole(one);
      together &= one.op == lead.op;
    }
    const bool meets = lead.op->control == Control::pause ||
                       (is_at_whole_barrier(lead) && !barriers_[number_of_barrier(lead)].active);
    if (!together || !meets || machine::is_over(launch_)) break;
    for (WarpGang& one : gangs()) ++one.op;
  }
  // Warp 0 is the first warp that starts by itself. If it has not started, all warps are in gangs.
  gangs_stay_ = together && is_at_end(lead) && !states_[0]->started && cluster_ == &alone_ &&
                !program_.moves_stack;
  if (gangs_stay_) {
    alive_warps_ = 0;
    return true;
  }
  for (const WarpGang& one : gangs()) settle(one);
  return true;
}

/// All threads of the gang have exited. The frames are freed in an order that gives them to the
/// same warps of the next CTA.
void InterpretedCta::end_gang(const WarpGang& all) {
  for (u32 k = all.gang.count; k-- > 0;) {
    WarpState& state = *states_[all.first + k];
    give_frame(all.frames[k]);
    state.fragments.clear();
    state.started = true;
    state.alive = 0;
  }
  alive_warps_ -= all.gang.count;
  check_waiters();
}

/// Whether the gang is at a barrier of all threads of the CTA, which no other thread has begun with
/// a thread count.
bool InterpretedCta::is_at_whole_barrier(const WarpGang& all) const {
  const Op& op = *all.op;
  if (op.control != Control::bar_sync || op.guard != kNoPlace || op.flags != kKnownBarrier)
    return false;
  const u32 number = number_of_barrier(all);
  return number < kBarriers && (!barriers_[number].active || !barriers_[number].expected);
}

void InterpretedCta::arrive_together(const WarpGang& all) {
  const u32 number = number_of_barrier(all);
  Barrier& barrier = barriers_[number];
  if (!barrier.active) begin_barrier(number, 0);
  const Op* const ops = all.frames[0]->ops().data();
  for (u32 w = all.first; w < all.first + all.gang.count; ++w) {
    Fragment& fragment = states_[w]->fragments[0];
    fragment.pc = static_cast<u32>(all.op - ops);
    fragment.wait = Wait::barrier;
    fragment.barrier = number;
    barrier.arrived[w] = kAllLanes;
  }
  check_barrier(number);
}

/// One warp executes the instruction at which run_whole() stopped. If that is no control
/// instruction, the warp only fills all lanes of its registers, and executes it later.
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
    fragment.pc = op.target;
  else if (control(state, 0, op, active))
    ++state.fragments[0].pc;
}

/// How many warps a gang has at most, so that their registers stay in the cache.
u32 InterpretedCta::most_in_gang(const Code& code) {
  std::size_t bytes = code.below.size() + code.register_bytes + 1;
  for (const AffineRegister& one : code.affine) bytes -= (kLanes - 1) * one.bytes;
  return std::clamp<u32>(static_cast<u32>(kRegisterCache / bytes), 1, kMostInGang);
}

}  // namespace heddle::interp
