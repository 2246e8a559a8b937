// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cluster.h"

#include "machine/launch.h"

namespace heddle::jit {

using machine::CtaStatus;

Result<u64> CompiledCluster::begin(u64 index, u64 most) {
  deadlock_detector_.reset();
  return CtaCluster::begin(index, most);
}

CtaStatus CompiledCluster::run(u64 budget) {
  const auto those_left = [&](auto see) {
    for (std::size_t rank = 0; rank < members_.size(); ++rank)
      if (!finished_[rank]) see(*members_[rank]);
  };
  // What the watch asks, too (watch.cpp): it may have stopped a CTA before anybody else knows.
  const auto is_stopped = [&] { return machine::is_over(launch_); };
  // A CTA that was stopped cannot resume: it would repeat what it did since it last waited.
  for (u32 pass = 0; pass < kPatience && !is_stopped(); ++pass) {
    jit::Cta* left = nullptr;
    bool idle = true;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (finished_[rank]) continue;
      jit::Cta& member = *members_[rank];
      const CtaStatus status = member.run(budget);
      if (status == CtaStatus::trapped) {
        trapped_ = &member;
        return status;
      }
      if (is_stopped()) return CtaStatus::running;
      finished_[rank] = status == CtaStatus::finished;
      idle &= !finished_[rank] && member.is_idle();
      if (!finished_[rank] && !left) left = &member;
    }
    if (!left) return CtaStatus::finished;
    if (!idle) deadlock_detector_.reset();
    if (idle && deadlock_detector_.is_deadlock(those_left)) {
      trapped_ = left;
      return left->deadlock();
    }
  }
  return deadlock_detector_ ? CtaStatus::waiting : CtaStatus::running;
}

}  // namespace heddle::jit
