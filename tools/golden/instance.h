// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// instances.txt: scalar, warp-level and atomic instructions, and their inputs.
#pragma once

#include <string_view>

#include "base/result.h"
#include "subject.h"
#include "value.h"

namespace heddle::golden {

/// The set of inputs.
enum class Sweep {
  kVectors,  ///< kVectorBlocks * 65536 vectors of value()
  kWords,    ///< one operand: all 2^32 words
  kPairs,    ///< two operands: all pairs of 16 bits
  kHalves,   ///< one operand: all 2^16
};
inline constexpr u32 kVectorBlocks = 16;

struct Instance {
  std::string name;  ///< of a sweep other than kVectors with " (all)" behind it
  std::string code;  ///< PTX with `$a` to `$d` for inputs, `$x` to `$z` for outputs
  std::vector<Kind> inputs, outputs;
  Sweep sweep = Sweep::kVectors;
  /// For kWords: a sum for 65,536 results instead of 2^24. For kHalves: all results are recorded
  /// without a sum.
  bool fine = false;
};

/// The error is "line 12: REASON".
Result<std::vector<Instance>> read_instances(std::string_view text);

/// The same instances on vectors, which can be listed: sweeps become vectors, unless there is an
/// instance on vectors of the same name.
std::vector<Instance> on_vectors(const std::vector<Instance>& instances);

/// The inputs of vector `index`.
std::vector<u64> inputs_at(const Instance& instance, u32 index);

/// `entry`: the kernel's name.
Subject make_subject(const Instance& instance, const std::string& entry);

}  // namespace heddle::golden
