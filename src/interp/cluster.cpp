// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/cluster.h"

#include <algorithm>

namespace heddle::interp {

using machine::CtaStatus;

namespace {

/// Backward branches and calls that a CTA makes before the next one of its cluster has its turn.
constexpr u64 kClusterTurn = 10'000;

}  // namespace

CtaStatus InterpretedCluster::run(u64 budget) {
  const u64 passes = std::max<u64>(budget / kClusterTurn / members_.size(), 1);
  for (u64 pass = 0; pass < passes; ++pass) {
    bool alive = false, blocked = true;
    const u32 first = launch_.random ? launch_.random->below(members_.size()) : 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::size_t rank = (first + i) % members_.size();
      if (finished_[rank]) continue;
      InterpretedCta& member = *members_[rank];
      const CtaStatus status = member.run(launch_.random ? budget : kClusterTurn);
      if (status == CtaStatus::trapped) {
        trapped_ = &member;
        return status;
      }
      finished_[rank] = status == CtaStatus::finished;
      alive |= !finished_[rank];
      blocked &= member.is_blocked() && !finished_[rank];
    }
    if (!alive) return CtaStatus::finished;
    if (blocked) return unblock();
    if (launch_.stop.load(std::memory_order_relaxed)) break;
  }
  return CtaStatus::running;
}

CtaStatus InterpretedCluster::unblock() {
  InterpretedCta* first = nullptr;
  bool helped = false;
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    if (finished_[rank]) continue;
    InterpretedCta& member = *members_[rank];
    if (!first) first = &member;
    const CtaStatus status = member.unblock();
    if (status == CtaStatus::trapped) {
      trapped_ = &member;
      return status;
    }
    helped |= status != CtaStatus::finished;
  }
  if (helped) return CtaStatus::waiting;
  trapped_ = first;
  return first->deadlock();
}

}  // namespace heddle::interp
