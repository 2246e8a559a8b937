// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster of CTAs in the interpreter (PTX ISA 2.2.2). Its CTAs take turns on one host thread, so
// what they do to each other's shared memory needs no locks, and a cluster in which no thread can
// go on is a deadlock. To the machine it is one resident CTA whose number is the cluster's.
#pragma once

#include <memory>
#include <vector>

#include "interp/cta.h"

namespace heddle::interp {

class InterpretedCluster final : public machine::Cta {
 public:
  InterpretedCluster(const Interpreted& program, machine::Launch& launch)
      : program_(program), launch_(launch) {}
  ~InterpretedCluster() override;

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return trapped_->trap(); }

 private:
  /// No CTA can go on by itself.
  machine::CtaStatus unblock();

  const Interpreted& program_;
  machine::Launch& launch_;
  Cluster shared_;
  std::vector<std::unique_ptr<InterpretedCta>> members_;
  std::vector<bool> finished_;
  const InterpretedCta* trapped_ = nullptr;
};

}  // namespace heddle::interp
