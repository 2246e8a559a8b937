// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switches between CTAs of one column of the grid, which read the same memory (cta_switching.h):
// each runs for some barriers, so that the next one finds what it read in a near cache.
#pragma once

#include <memory>
#include <vector>

#include "jit/cta.h"

namespace heddle::jit {

class CtaSwitcher final : public machine::Cta {
 public:
  /// CTAs at a time; fewer at the lower end of a grid, and in parts of columns: Launch::rows.
  static constexpr u32 kRows = 4;

  CtaSwitcher(std::shared_ptr<const Code> code, machine::Launch& launch,
              const machine::Program& below)
      : code_(std::move(code)), launch_(launch), below_(below) {}

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return members_[trapped_].cta->trap(); }

 private:
  struct Member {
    std::unique_ptr<jit::Cta> cta;
    bool finished = true;
  };
  /// Barriers between two switches. What all rows read between them shall fit into the second-level
  /// cache.
  static constexpr u64 kBarriersEach = 16;

  const std::shared_ptr<const Code> code_;
  machine::Launch& launch_;
  const machine::Program& below_;
  std::vector<Member> members_;
  std::size_t trapped_ = 0;
};

/// The object that runs compiled CTAs of the launch.
std::unique_ptr<machine::Cta> make_cta_of(std::shared_ptr<const Code> code, machine::Launch& launch,
                                          const machine::Program& below);

}  // namespace heddle::jit
