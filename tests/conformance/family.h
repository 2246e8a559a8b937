// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of cases: one instruction on many inputs, in blocks of 32 that any thread may run.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/types.h"
#include "instruction.h"

namespace heddle::conformance {

/// Prints the first few mismatches.
class Log {
 public:
  void mismatch(const std::string& text);

 private:
  std::mutex mutex_;
  int printed_ = 0;
};

struct Family {
  std::string name;
  u64 blocks = 0;
  /// Runs blocks [first, last); returns {cases, mismatches}.
  struct Count {
    u64 cases = 0, mismatches = 0;
  };
  std::function<Count(u64 first, u64 last, Log&)> run;
};

struct Scale {
  u64 random = 100'000'000;   ///< random inputs per instruction
  u64 spread = u64{1} << 32;  ///< inputs of an approximate function, evenly spread
};

std::vector<Family> ieee_families(const Scale& scale);
std::vector<Family> conversion_families(const Scale& scale);
std::vector<Family> narrow_families(const Scale& scale);
std::vector<Family> approximate_families(const Scale& scale);

/// Runs all families on that many threads and prints a line for each; returns the number of
/// mismatches.
u64 run(const std::vector<Family>& families, unsigned threads);

/// "add.rn.f32 0x3f800000, 0x3f800000: got 0x40000001, expected 0x40000000"
std::string describe(const Instruction& instruction, std::string_view name, const Values* inputs,
                     u32 lane, u64 got, u64 expected);

}  // namespace heddle::conformance
