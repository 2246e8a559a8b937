// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster of CTAs in the interpreter. When no thread of a cluster can run, the cluster is in a
// deadlock.
#pragma once

#include <memory>

#include "interp/cta.h"
#include "machine/cta_cluster.h"

namespace heddle::interp {

class InterpretedCluster final : public machine::CtaCluster<InterpretedCta> {
 public:
  InterpretedCluster(const Interpreted& program, machine::Launch& launch)
      : CtaCluster(launch), program_(program) {}

  machine::CtaStatus run(u64 budget) override;

 private:
  std::unique_ptr<InterpretedCta> make_member(Cluster& cluster) override {
    const u32 rank = static_cast<u32>(cluster.members.size());
    return std::make_unique<InterpretedCta>(program_.in_cluster(rank), launch_, &cluster);
  }
  /// Called when no CTA can run by itself.
  machine::CtaStatus unblock();

  const Interpreted& program_;
};

}  // namespace heddle::interp
