// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two recordings, result for result.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "recording.h"
#include "subject.h"

namespace heddle::golden {

struct Comparison {
  u32 exact = 0, different = 0;
  u32 changed = 0;  ///< what is computed, or of what, is not the same in both
  u32 missing = 0;  ///< not in one of them, or one of the devices does not run it
  u32 neither = 0;  ///< no device runs it
  /// A line for each that is different or changed, and for each missing one.
  std::vector<std::string> differences, absences;
};

/// `subjects` say what inputs the first different results have, and may lack some.
Comparison compare(const Recording& recorded, const Recording& now,
                   std::span<const Subject> subjects);

}  // namespace heddle::golden
