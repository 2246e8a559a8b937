// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/cta_switcher.h"

#include <algorithm>

#include "jit/cluster.h"

namespace heddle::jit {

using machine::CtaStatus;

Result<u64> CtaSwitcher::begin(u64 index, u64 most) {
  const machine::Dim3 first = launch_.place_of(index);
  u64 count = 0;
  for (; count < std::min<u64>(most, launch_.rows); ++count) {
    const machine::Dim3 place = launch_.place_of(index + count);
    if (place.x != first.x || place.y != first.y + count || place.z != first.z) break;
    if (count == members_.size())
      members_.push_back({std::make_unique<jit::Cta>(code_, launch_, below_)});
    const auto begun = members_[count].cta->begin(index + count, 1);
    if (!begun.ok() && count) break;  // fewer CTAs at a time need less memory
    if (!begun.ok()) return begun;
    members_[count].finished = false;
  }
  return count;
}

CtaStatus CtaSwitcher::run(u64) {
  for (bool left = true; left;) {
    left = false;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Member& member = members_[i];
      if (member.finished) continue;
      switch (member.cta->run(kBarriersEach)) {
        case CtaStatus::finished:
          member.finished = true;
          break;
        case CtaStatus::waiting:
          left = true;
          break;
        case CtaStatus::running:
          return CtaStatus::running;  // the launch has been stopped
        case CtaStatus::trapped:
          trapped_ = i;
          return CtaStatus::trapped;
      }
    }
  }
  return CtaStatus::finished;
}

std::unique_ptr<machine::Cta> make_cta_of(std::shared_ptr<const Code> code, machine::Launch& launch,
                                          const machine::Program& below) {
  if (launch.cluster.volume() > 1)
    return std::make_unique<CompiledCluster>(std::move(code), launch, below);
  if (launch.rows > 1) return std::make_unique<CtaSwitcher>(std::move(code), launch, below);
  return std::make_unique<Cta>(std::move(code), launch, below);
}

}  // namespace heddle::jit
