// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one instruction with the interpreter's handler of its form, on 32 lanes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "interp/op.h"
#include "isa/types.h"

namespace heddle::conformance {

inline constexpr u32 kLanes = interp::kLanes;

/// The values of one operand in all lanes, as bits.
using Values = u64[kLanes];

class Instruction {
 public:
  /// For a mnemonic such as "add.rn.ftz.f32"; nothing when no form has it.
  static std::optional<Instruction> find(std::string_view mnemonic);

  const std::vector<isa::Type>& sources() const { return sources_; }
  isa::Type result() const { return result_; }

  /// `inputs`: one Values for each source.
  void run(const Values* inputs, Values& output) const;

 private:
  interp::Handlers handlers_;
  std::vector<isa::Type> sources_;
  isa::Type result_{};
  u8 runtime_[6] = {};
};

}  // namespace heddle::conformance
