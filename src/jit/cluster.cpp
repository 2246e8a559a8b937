// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cluster.h"

#include <algorithm>

namespace heddle::jit {

using machine::CtaStatus;

CompiledCluster::~CompiledCluster() {
  if (shared_.base)
    launch_.loaded->memory().give_shared(launch_.loaded->region(), shared_.base,
                                         launch_.shared_bytes,
                                         static_cast<u32>(launch_.cluster.volume()));
}

Result<u64> CompiledCluster::begin(u64 index, u64) {
  const u32 count = static_cast<u32>(launch_.cluster.volume());
  if (members_.empty()) {
    const auto base =
        launch_.loaded->memory().take_shared(launch_.loaded->region(), launch_.shared_bytes, count);
    if (!base.ok()) return base.error();
    shared_.base = *base;
    for (u32 rank = 0; rank < count; ++rank)
      members_.push_back(std::make_unique<jit::Cta>(code_, launch_, below_, &shared_));
  }
  finished_.assign(count, false);
  shared_.barrier_active = false;
  idle_passes_ = 0;
  for (u32 rank = 0; rank < count; ++rank) {
    const auto begun = members_[rank]->begin(launch_.in_cluster(index, rank), 1);
    if (!begun.ok()) return begun.error();
  }
  return 1;
}

CtaStatus CompiledCluster::run(u64 budget) {
  for (u32 pass = 0; pass < kPatience; ++pass) {
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
      finished_[rank] = status == CtaStatus::finished;
      idle &= !finished_[rank] && member.is_idle();
      if (!finished_[rank] && !left) left = &member;
    }
    if (!left) return CtaStatus::finished;
    if (!idle) idle_passes_ = 0;
    if (idle && is_dead()) {
      trapped_ = left;
      return left->deadlock();
    }
    if (launch_.stop.load(std::memory_order_relaxed)) break;
  }
  return idle_passes_ ? CtaStatus::waiting : CtaStatus::running;
}

/// Another pass in which nobody got an answer. True: all have been told "no" since, and came back
/// with all that they know as it was; so they always will.
bool CompiledCluster::is_dead() {
  const auto of_those_left = [&](auto what) {
    bool all = true;
    for (std::size_t rank = 0; rank < members_.size(); ++rank)
      if (!finished_[rank]) all &= what(*members_[rank]);
    return all;
  };
  if (idle_passes_++ == kPatience)
    of_those_left([](jit::Cta& one) { return one.remember(), true; });
  if (idle_passes_ < 3 * kPatience) return false;
  idle_passes_ = 0;
  return of_those_left([](const jit::Cta& one) { return one.is_as_remembered(); });
}

}  // namespace heddle::jit
