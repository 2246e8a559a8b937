// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/types.h"

namespace heddle::jit {

/// Polls after which a wait returns without an answer, as the instruction permits; rounds after
/// which a CTA whose loops may wait yields to others; and rounds without progress after which CTAs
/// are examined for a deadlock.
inline constexpr u32 kPatience = 64;

/// Counts consecutive rounds in which no CTA made progress, of CTAs that may wait for each other.
class DeadlockDetector {
 public:
  void reset() { rounds_ = 0; }
  explicit operator bool() const { return rounds_ != 0; }
  /// Counts another such round. True: a deadlock. All CTAs have been told "no" since their state
  /// was saved, and have the same state again, so this repeats for ever. `for_each` calls its
  /// argument with each CTA.
  template <class ForEach>
  bool is_deadlock(ForEach for_each) {
    if (rounds_++ == kPatience) for_each([](auto& cta) { cta.save_state(); });
    if (rounds_ < 3 * kPatience) return false;
    rounds_ = 0;
    bool same = true;
    for_each([&](const auto& cta) { same &= cta.has_saved_state(); });
    return same;
  }

 private:
  u32 rounds_ = 0;
};

}  // namespace heddle::jit
