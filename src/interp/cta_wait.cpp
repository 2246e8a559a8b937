// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting for barrier objects in shared memory (PTX ISA 9.7.13.15.16) and for the barrier of the
// cluster (9.7.13.3).
//
// A thread whose test or wait finds the phase incomplete waits, and checks again each time its warp
// has a turn. After some rounds of the CTA it gets the answer "no", since the instruction promises
// no more. When no thread of the cluster can run, waiting longer is useless. Then each waiting
// thread gets the answer "no", and the interpreter follows it: if it comes back to the same
// instruction with the same registers, and has accessed no memory, it will spin for ever. If all
// threads do, the cluster is in a deadlock.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/cta.h"
#include "interp/mbarrier_ops.h"
#include "isa/sem/cluster_launch.h"
#include "isa/sem/mbarrier.h"

namespace heddle::interp {

using machine::CtaStatus;
using machine::TrapKind;

namespace {

/// Rounds of the CTA's warps after which a waiting test, or try, gets its answer.
constexpr u32 kTestRounds = 8, kTryRounds = 64;
/// The number of Ops for which a thread in a loop around a wait is followed.
constexpr u32 kMostSteps = 1000;

}  // namespace

// --- barrier objects ---

/// The lanes of warp.mask whose phase is complete.
u32 InterpretedCta::past_phase(Warp& warp, const Op& op) {
  u32 past = 0;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 word = read_mbarrier(warp, lane, warp.at<const u64>(op.src[0])[lane], true);
    const bool over = op.flags & kByParity
                          ? sem::mbarrier_is_past_parity(word, warp.at<const u32>(op.src[1])[lane])
                          : sem::mbarrier_is_past_state(word, warp.at<const u64>(op.src[1])[lane]);
    if (over) past |= 1u << lane;
  });
  return past;
}

/// True: the fragment has its answer, and continues.
bool InterpretedCta::mbarrier_wait(WarpState& state, std::size_t index, const Op& op, u32 active) {
  const u32 past = past_phase(state.warp, op);
  Fragment& fragment = state.fragments[index];
  if (past || (fragment.patience && round_ >= fragment.patience)) {
    set_predicate(state.warp, op.dst[0], active, past);
    fragment.patience = 0;
    return true;
  }
  if (!fragment.patience) {
    fragment.patience = round_ + (op.flags & kMayWait ? kTryRounds : kTestRounds);
    if (!fragment.patience) fragment.patience = 1;
  }
  Fragment& waiting = part(state, index, active);
  waiting.wait = Wait::mbarrier;
  waiting.pc -= op.again;
  ++state.waiting;
  return false;
}

/// Ends the waits of fragments whose phase is complete, or whose time is up.
void InterpretedCta::poll(WarpState& state) {
  Warp& warp = state.warp;
  state.waiting = 0;
  current_ = &state;
  for (Fragment& fragment : state.fragments) {
    if (fragment.wait != Wait::mbarrier) continue;
    show_frame(warp, *fragment.frame);
    const Op* op = &fragment.frame->code->ops[fragment.pc];
    for (;; ++op) {
      warp.mask = fragment.mask;
      warp.op = op;
      if (op->control == Control::mbarrier_wait) break;
      op->run(warp, *op);
    }
    if (past_phase(warp, *op) || round_ >= fragment.patience)
      fragment.wait = Wait::none;
    else
      ++state.waiting;
  }
}

// --- deadlock ---

CtaStatus InterpretedCta::unblock() { return guarded(&InterpretedCta::unblock_warps); }

/// CtaStatus::finished: no fragment left its loop.
CtaStatus InterpretedCta::unblock_warps() {
  bool helped = false;
  for (const auto& state : states_) {
    if (!state->alive || !state->waiting) continue;
    current_ = state.get();
    for (Fragment& fragment : state->fragments) {
      if (fragment.wait == Wait::mbarrier) helped |= leaves_spin(*state, fragment);
    }
  }
  return helped ? CtaStatus::waiting : CtaStatus::finished;
}

/// Answers "no" and follows the fragment, through two rounds of its loop at most. False: it comes
/// back to the same instruction with the same registers.
bool InterpretedCta::leaves_spin(WarpState& state, Fragment& fragment) {
  if (spin_once(state, fragment)) return true;
  const u8* const registers = fragment.frame->registers;
  const std::size_t bytes = fragment.frame->code->register_bytes;
  spin_registers_.assign(registers, registers + bytes);
  if (spin_once(state, fragment)) return true;
  return std::memcmp(spin_registers_.data(), registers, bytes) != 0;
}

/// Follows one round of a loop around a wait with the answer "no". True: the fragment has left the
/// loop, or executed too much in it to be followed, so it runs again.
bool InterpretedCta::spin_once(WarpState& state, Fragment& fragment) {
  Warp& warp = state.warp;
  Frame* const frame = fragment.frame;
  spread(*frame);
  show_frame(warp, *frame);
  const std::vector<Op>& ops = frame->code->ops;
  const u32 start = fragment.pc;
  u32 pc = start;
  bool answered = false;
  for (u32 step = 0; step < kMostSteps; ++step) {
    if (pc == start && answered) return false;
    const Op& op = ops[pc];
    const u32 active = active_lanes(warp, op, fragment.mask);
    if (!active) {
      ++pc;
      continue;
    }
    warp.mask = active;
    warp.op = &op;
    if (op.control == Control::none && op.pure) {
      op.run(warp, op);
      ++pc;
    } else if (op.control == Control::mbarrier_wait && !answered) {
      set_predicate(warp, op.dst[0], active, 0);
      answered = true;
      ++pc;
    } else if (op.control == Control::bra && active == fragment.mask) {
      pc = op.target;
    } else if (op.control == Control::nanosleep) {
      ++pc;
    } else {
      break;
    }
  }
  fragment.pc = pc;
  fragment.wait = Wait::none;
  fragment.patience = 0;
  return true;
}

namespace {

bool waits_for_members(const Fragment& fragment) { return fragment.wait == Wait::members; }

}  // namespace

CtaStatus InterpretedCta::deadlock() {
  // A thread that waits for members of its warp keeps other threads at barriers, not the other way
  // around.
  const auto for_members = [](const auto& state) {
    return state->alive && std::ranges::any_of(state->fragments, waits_for_members);
  };
  const bool any_for_members = std::ranges::any_of(states_, for_members);
  for (const auto& state : states_) {
    if (!state->alive || (any_for_members && !for_members(state))) continue;
    const auto one = std::ranges::find_if(state->fragments, waits_for_members);
    const Fragment& fragment = one == state->fragments.end() ? state->fragments.front() : *one;
    state->warp.op = &fragment.frame->code->ops[fragment.pc];
    current_ = state.get();
    detail_ = "all threads that are left wait; these " + describe_wait(*state, fragment);
    return trapped(*state, TrapKind::deadlock, static_cast<u32>(std::countr_zero(fragment.mask)),
                   std::nullopt);
  }
  HEDDLE_UNREACHABLE();
}

std::string InterpretedCta::describe_wait(WarpState& state, const Fragment& fragment) {
  switch (fragment.wait) {
    case Wait::barrier:
      return machine::describe_barrier(fragment.barrier);
    case Wait::cluster:
      return "at the barrier of the cluster";
    case Wait::mbarrier: {
      Warp& warp = state.warp;
      show_frame(warp, *fragment.frame);
      const Op* op = &fragment.frame->code->ops[fragment.pc];
      while (op->control != Control::mbarrier_wait) ++op;
      const u32 lane = static_cast<u32>(std::countr_zero(fragment.mask));
      const u64 host = warp.at<const u64>(op->src[0])[lane];
      u64 word;
      std::memcpy(&word, reinterpret_cast<const void*>(host), sizeof word);
      const sem::Mbarrier object = sem::unpack_mbarrier(word);
      return fmt::format(
          "for the mbarrier object at offset {} of shared memory, whose phase of parity {} lacks "
          "{} of {} arrivals and {} bytes",
          host - warp.shared_base, object.odd ? 1 : 0, object.pending, object.expected, object.tx);
    }
    default: {
      show_frame(state.warp, *fragment.frame);
      const Op& op = fragment.frame->code->ops[fragment.pc];
      const u32 lane = static_cast<u32>(std::countr_zero(fragment.mask));
      const u32 named = state.warp.at<const u32>(op.members)[lane];
      return fmt::format(
          "for members of their warp that do not come: the membermask is {:#010x}, of those lanes "
          "{:#010x} are elsewhere, or have another one",
          named, named & state.alive & ~fragment.mask);
    }
  }
}

// --- the barrier of the cluster ---

void InterpretedCta::cluster_arrive(WarpState& state, const Op&, u32 active) {
  if (const u32 twice = state.cluster_arrived & active) {
    detail_ = "this thread has arrived at the cluster's barrier already, and others have not yet";
    raise_trap(state.warp, TrapKind::illegal_barrier, static_cast<u32>(std::countr_zero(twice)),
               nullptr);
  }
  state.cluster_arrived |= active;
  state.cluster_owed |= active;
  cluster_->barrier_active = true;
  check_cluster_barrier();
}

/// True: the phase in which all of these lanes arrived is complete.
bool InterpretedCta::cluster_wait(WarpState& state, std::size_t index, u32 active) {
  if (const u32 early = active & ~state.cluster_owed) {
    detail_ = "this thread waits at the cluster's barrier, but has not arrived there";
    raise_trap(state.warp, TrapKind::illegal_barrier, static_cast<u32>(std::countr_zero(early)),
               nullptr);
  }
  // Threads of a warp may be in different phases here. Those whose phase is complete continue.
  const u32 waiting = active & state.cluster_arrived;
  state.cluster_owed &= ~(active & ~waiting);
  if (!waiting) return true;
  part(state, index, waiting).wait = Wait::cluster;
  return false;
}

void InterpretedCta::check_cluster_arrivals(bool& all) const {
  for (const auto& state : states_) all &= (state->alive & ~state->cluster_arrived) == 0;
}

void InterpretedCta::release_cluster_waiters() {
  for (const auto& state : states_) {
    state->cluster_arrived = 0;
    if (!state->alive) continue;
    for (Fragment& fragment : state->fragments) {
      if (fragment.wait != Wait::cluster) continue;
      state->cluster_owed &= ~fragment.mask;
      fragment.wait = Wait::none;
      ++fragment.pc;
    }
  }
}

/// The phase is complete when all threads of the cluster that have not exited have arrived.
void InterpretedCta::check_cluster_barrier() {
  bool all = true;
  for (const InterpretedCta* member : cluster_->members) member->check_cluster_arrivals(all);
  if (!all) return;
  cluster_->barrier_active = false;
  for (InterpretedCta* member : cluster_->members) member->release_cluster_waiters();
}

// --- clusterlaunchcontrol (9.7.13.17) ---

/// Each lane asks for a cluster that has not started, and gets the answer at once.
void InterpretedCta::try_cancel(const Op& op, u32 active) {
  constexpr u32 kBytes = 16;
  Warp& warp = current_->warp;
  warp.mask = active;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 to = warp.at<const u64>(op.src[0])[lane];
    const u64 barrier = warp.at<const u64>(op.src[1])[lane];
    check_shared(warp, lane, to, kBytes, kBytes);
    check_shared(warp, lane, barrier, 8, 8);
    sem::b128 answer = sem::kNoClusterCanceled;
    if (const auto cluster = launch_.cancel_next()) {
      const machine::Dim3 first = launch_.first_of_cluster(*cluster);
      answer = sem::canceled_cluster(first.x, first.y, first.z);
    }
    const bool to_all = op.flags != 0;
    for (u32 rank = 0; rank < ranks(warp); ++rank) {
      if (!to_all && rank != rank_of(warp, to)) continue;
      std::memcpy(reinterpret_cast<void*>(in_window_of(warp, to, rank)), &answer, kBytes);
      complete_tx(warp, lane, in_window_of(warp, barrier, rank), kBytes);
    }
  });
}

}  // namespace heddle::interp
