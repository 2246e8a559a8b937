// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA that begins in the engine below, and changes over to compiled code between two CTAs that it
// is one after the other, as soon as there is code. Its time below is counted for the version.
#pragma once

#include <memory>

#include "jit/version.h"
#include "machine/engine.h"

namespace heddle::jit {

class TieredCta final : public machine::Cta {
 public:
  TieredCta(std::shared_ptr<Version> version, const machine::Program& below,
            machine::Launch& launch, std::chrono::nanoseconds hot)
      : version_(std::move(version)), below_(below), launch_(launch), hot_(hot) {}

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return now_->trap(); }

 private:
  const std::shared_ptr<Version> version_;
  const machine::Program& below_;
  machine::Launch& launch_;
  const std::chrono::nanoseconds hot_;
  std::unique_ptr<machine::Cta> now_;
  bool is_code_ = false;
};

}  // namespace heddle::jit
