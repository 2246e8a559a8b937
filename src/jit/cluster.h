// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster of compiled CTAs (PTX ISA 2.2.2). They take turns on one host thread: each goes on
// until all of its warps wait. To the machine it is one resident CTA whose number is the cluster's.
#pragma once

#include <memory>
#include <vector>

#include "jit/cta.h"

namespace heddle::jit {

class CompiledCluster final : public machine::Cta {
 public:
  CompiledCluster(std::shared_ptr<const Code> code, machine::Launch& launch,
                  const machine::Program& below)
      : code_(std::move(code)), launch_(launch), below_(below) {}
  ~CompiledCluster() override;

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trapped_->trap(); }

 private:
  /// Passes through the CTAs after which others outside of the cluster have their turns; and in
  /// which nobody got an answer, after which they are looked at.
  static constexpr u32 kPatience = 64;

  bool is_dead();

  const std::shared_ptr<const Code> code_;
  machine::Launch& launch_;
  const machine::Program& below_;
  Cluster shared_;
  std::vector<std::unique_ptr<jit::Cta>> members_;  ///< by rank
  std::vector<bool> finished_;
  u32 idle_passes_ = 0;  ///< in a row
  const jit::Cta* trapped_ = nullptr;
};

}  // namespace heddle::jit
