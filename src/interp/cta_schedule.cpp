// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scheduling of the warps of a CTA, and of the fragments of a warp (PTX ISA 3.2 leaves the order
// open). Without a seed the order is the fastest one; with a seed it is pseudo-random
// (machine/schedule.h).
#include "interp/cta.h"
#include "machine/fault.h"
#include "machine/launch.h"

namespace heddle::interp {
namespace {

using machine::CtaStatus;

/// In a pseudo-random order: a turn has at most kMixedSteps instructions, one turn in kMixedParting
/// splits a fragment, and one meeting of fragments in kMixedMerging merges them.
constexpr u32 kMixedSteps = 40, kMixedParting = 8, kMixedMerging = 4;

}  // namespace

CtaStatus InterpretedCta::run(u64 budget) {
  budget_ = static_cast<s64>(budget);
  return guarded(&InterpretedCta::run_warps);
}

/// Calls `body`, which may trap or fault.
CtaStatus InterpretedCta::guarded(CtaStatus (InterpretedCta::*body)()) {
  const WorkingOn working_on(entry_->function->name.c_str());
  const machine::FaultGuard guard(launch_.loaded->memory(), &recover_, &fault_);
  // Variables that change between here and the jump are members, not locals.
  switch (sigsetjmp(recover_, 0)) {
    case 0:
      break;
    case kTrapRaised: {
      find_culprit();
      if (goes_on(false)) break;
      const Warp& warp = current_->warp;
      return trapped(*current_, warp.trap_kind, warp.trap_lane,
                     warp.trap_has_address ? std::optional(warp.trap_address) : std::nullopt);
    }
    default:
      find_culprit();
      if (goes_on(true)) break;
      return faulted();
  }
  end_watched();
  return (this->*body)();
}

/// Finds the warp that trapped, if a gang ran.
void InterpretedCta::find_culprit() {
  if (!running_) return;
  const Gang& gang = running_->gang;
  current_ = states_[running_->first + gang.current].get();
  current_->warp.op = gang.op;
  spread(*running_->frames[gang.current]);
  running_ = nullptr;
}

CtaStatus InterpretedCta::run_warps() {
  blocked_ = true;
  while (true) {
    bool ran = false;
    ++round_;
    if (launch_.random) {
      shuffle_order();
    } else if (run_between_barriers()) {
      if (!alive_warps_) {
        if (const auto status = end_cta()) return *status;
        continue;
      }
      ran = true;
    }
    for (u32 next = 0; next < warps_;) {
      const u32 gang = launch_.random ? 0 : count_gang(next);
      const u32 end = next + std::max(gang, 1u);
      ran |= gang > 0;
      if (gang && run_gang(next, gang)) next = end;
      for (; next < end && budget_ > 0; ++next)
        ran |= run_alone(order_.empty() ? next : order_[next]);
      if (budget_ <= 0 || machine::is_over(launch_)) {
        blocked_ = false;
        return CtaStatus::running;
      }
    }
    if (!alive_warps_) {
      if (const auto status = end_cta()) return *status;
      blocked_ = true;
    } else if (ran) {
      blocked_ = false;
    } else if (cluster_ != &alone_) {
      return CtaStatus::waiting;
    } else if (const CtaStatus status = unblock_warps(); status != CtaStatus::finished) {
      return status;
    } else {
      return deadlock();
    }
  }
}

/// Gives a warp its turn. False: it has exited, or all of its fragments wait.
bool InterpretedCta::run_alone(u32 number) {
  WarpState& state = *states_[number];
  if (!state.alive) return false;
  current_ = &state;
  turn_ = kTurn;
  if (!state.started) {
    Frame& frame = *take_frame(state, *entry_, state.alive);
    prepare_for_cta(state, frame);
    start(state, frame);
  }
  if (launch_.random) begin_mixed_turn(state);
  return run_warp(state);
}

/// Chooses the order of the warps in this round, at random.
void InterpretedCta::shuffle_order() {
  order_.resize(warps_);
  for (u32 i = 0; i < warps_; ++i) {
    const u32 other = launch_.random->below(i + 1);
    order_[i] = order_[other];
    order_[other] = i;
  }
}

/// A turn in a pseudo-random order: a few instructions, maybe after a fragment is split. From sm_70
/// on, only instructions that wait for threads of a warp keep them together.
void InterpretedCta::begin_mixed_turn(WarpState& state) {
  machine::Random& random = *launch_.random;
  --budget_;
  steps_ = 1 + random.below(kMixedSteps);
  if (!parts_ || state.fragments.empty() || random.below(kMixedParting) != 0) return;
  Fragment& one = state.fragments[random.below(state.fragments.size())];
  Fragment other = one;
  other.mask &= static_cast<u32>(random.next());
  if (one.wait != Wait::none || !other.mask || other.mask == one.mask) return;
  one.mask &= ~other.mask;
  state.fragments.push_back(other);
}

/// The fragment to run next, or the number of fragments when none can.
std::size_t InterpretedCta::pick(const WarpState& state) const {
  std::size_t best = state.fragments.size();
  if (parts_) {
    u32 runnable = 0;
    for (std::size_t i = 0; i < state.fragments.size(); ++i) {
      if (state.fragments[i].wait == Wait::none && launch_.random->below(++runnable) == 0) best = i;
    }
    return best;
  }
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

/// Merges fragments at the same place. A fragment that waits for members checks again when others
/// merge with it.
void InterpretedCta::merge(WarpState& state) const {
  std::vector<Fragment>& all = state.fragments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size();) {
      const bool same = all[i].frame == all[j].frame && all[i].pc == all[j].pc &&
                        all[i].wait < Wait::barrier && all[j].wait < Wait::barrier;
      const bool apart = parts_ && all[i].wait == Wait::none && all[j].wait == Wait::none &&
                         launch_.random->below(kMixedMerging) != 0;
      if (!same || apart) {
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

/// Runs the warp until its turn is over, all of its fragments wait, or all have exited. False: all
/// of them waited.
bool InterpretedCta::run_warp(WarpState& state) {
  if (state.waiting) poll(state);
  for (bool ran = false;; ran = true) {
    if (state.fragments.empty()) return ran;
    std::size_t index = 0;
    if (state.fragments.size() > 1) {
      merge(state);
      index = pick(state);
      if (index == state.fragments.size()) return ran;
    } else if (state.fragments[0].wait != Wait::none) {
      return ran;
    }
    run_fragment(state, index);
    if (turn_ <= 0) {
      // In the warp's next turn, its other fragments run first. The short turns of a pseudo-random
      // order do not count where threads of a warp must stay together.
      const bool yields = parts_ || !launch_.random;
      if (yields && index < state.fragments.size() && state.fragments.size() > 1)
        ++state.fragments[index].rounds;
      return true;
    }
    if (machine::is_over(launch_)) {
      budget_ = 0;
      return true;
    }
  }
}

}  // namespace heddle::interp
