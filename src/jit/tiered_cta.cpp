// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/tiered_cta.h"

#include "jit/column.h"

namespace heddle::jit {

Result<u64> TieredCta::begin(u64 index, u64 most) {
  if (!is_code_) {
    if (auto code = version_->code(*launch_.loaded)) {
      if (now_) version_->changes_over();
      now_ = make_cta_of(std::move(code), launch_, below_);
      is_code_ = true;
    } else if (!now_) {
      now_ = below_.make_cta(launch_);
    }
  }
  return now_->begin(index, most);
}

machine::CtaStatus TieredCta::run(u64 budget) {
  if (is_code_ || !version_->waits_for_code()) return now_->run(budget);
  const auto begin = Version::Clock::now();
  const machine::CtaStatus status = now_->run(budget);
  version_->interpreted(Version::Clock::now() - begin, hot_);
  return status;
}

}  // namespace heddle::jit
