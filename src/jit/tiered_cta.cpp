// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/tiered_cta.h"

#include "jit/cta_switcher.h"

namespace heddle::jit {

Result<u64> TieredCta::begin(u64 index, u64 most) {
  auto code = version_->code(*launch_.loaded);
  if (code && (!compares_ || version_->comparison().next_is_code())) {
    if (!code_) {
      if (interpreted_) version_->changes_over();
      code_ = make_cta_of(std::move(code), launch_, below_);
    }
    now_ = code_.get();
  } else {
    if (!interpreted_) interpreted_ = below_.make_cta(launch_);
    now_ = interpreted_.get();
  }
  auto ctas = now_->begin(index, most);
  ctas_ = ctas.ok() ? *ctas : 0;
  return ctas;
}

machine::CtaStatus TieredCta::run(u64 budget) {
  const bool compares = compares_ && version_->is_open();
  if (!compares && !version_->waits_for_code()) return now_->run(budget);
  const auto begin = Version::Clock::now();
  const machine::CtaStatus status = now_->run(budget);
  const auto time = Version::Clock::now() - begin;
  const bool in_code = now_ == code_.get();
  const u64 ended = status == machine::CtaStatus::finished ? ctas_ : 0;
  if (!in_code) version_->interpreted(time, hot_);
  if (compares) version_->ran(in_code, time, ended);
  return status;
}

}  // namespace heddle::jit
