// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster of compiled CTAs, which run on one host thread: each runs until all of its warps wait.
#pragma once

#include <memory>

#include "jit/cta.h"
#include "machine/cta_cluster.h"

namespace heddle::jit {

class CompiledCluster final : public machine::CtaCluster<Cta> {
 public:
  CompiledCluster(std::shared_ptr<const Code> code, machine::Launch& launch,
                  const machine::Program& below)
      : CtaCluster(launch), code_(std::move(code)), below_(below) {}

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;

 private:
  std::unique_ptr<jit::Cta> make_member(Cluster& cluster) override {
    return std::make_unique<jit::Cta>(code_, launch_, below_, &cluster);
  }

  const std::shared_ptr<const Code> code_;
  const machine::Program& below_;
  DeadlockDetector deadlock_detector_;
};

}  // namespace heddle::jit
