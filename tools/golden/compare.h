// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two recordings, result by result.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "recording.h"
#include "subject.h"

namespace heddle::golden {

struct Comparison {
  u32 exact = 0, different = 0;
  u32 changed = 0;  ///< different code or inputs in the two recordings
  u32 missing = 0;  ///< missing in one recording, or one of the devices does not run it
  u32 neither = 0;  ///< no device runs it
  /// A line for each different or changed instruction, and for each missing one.
  std::vector<std::string> differences, absences;
};

/// `subjects` give the inputs of the first different results; some may be missing.
Comparison compare(const Recording& recorded, const Recording& now,
                   std::span<const Subject> subjects);

}  // namespace heddle::golden
