// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA that begins in the fallback engine. It changes to compiled code between two grid positions,
// as soon as there is code, and back when the code is slower. Its time is counted for the version.
#pragma once

#include <memory>

#include "jit/version.h"
#include "machine/engine.h"

namespace heddle::jit {

class TieredCta final : public machine::Cta {
 public:
  TieredCta(std::shared_ptr<Version> version, const machine::Program& below,
            machine::Launch& launch, std::chrono::nanoseconds hot, bool compares)
      : version_(std::move(version)),
        below_(below),
        launch_(launch),
        hot_(hot),
        compares_(compares) {}

  Result<u64> begin(u64 index, u64 most) override;
  machine::CtaStatus run(u64 budget) override;
  const machine::Trap& trap() const override { return now_->trap(); }

 private:
  const std::shared_ptr<Version> version_;
  const machine::Program& below_;
  machine::Launch& launch_;
  const std::chrono::nanoseconds hot_;
  const bool compares_;  ///< its time counts for the comparison of engines
  std::unique_ptr<machine::Cta> code_, interpreted_;
  machine::Cta* now_ = nullptr;  ///< the one of these that runs
  u64 ctas_ = 0;                 ///< grid positions that it runs, one after the other
};

}  // namespace heddle::jit
