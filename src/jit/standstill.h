// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/types.h"

namespace heddle::jit {

/// Turns after which a wait is answered: the instruction promises no more. Rounds of loops that may
/// wait after which others have their turns; and in which nobody got an answer, after which they
/// are looked at.
inline constexpr u32 kPatience = 64;

/// Rounds in a row in which no CTA of those that may answer each other got an answer.
class Standstill {
 public:
  void over() { rounds_ = 0; }
  explicit operator bool() const { return rounds_ != 0; }
  /// Another one. True: all have been told "no" since, and came back with all that they know as it
  /// was; so they always will. `for_each`: calls its argument with each CTA.
  template <class ForEach>
  bool is_for_ever(ForEach for_each) {
    if (rounds_++ == kPatience) for_each([](auto& cta) { cta.remember(); });
    if (rounds_ < 3 * kPatience) return false;
    rounds_ = 0;
    bool same = true;
    for_each([&](const auto& cta) { same &= cta.is_as_remembered(); });
    return same;
  }

 private:
  u32 rounds_ = 0;
};

}  // namespace heddle::jit
