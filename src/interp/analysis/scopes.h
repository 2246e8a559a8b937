// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/specials.h"
#include "ir/module.h"

namespace heddle::interp {

/// The parts of a launch in which the instructions of a function compute the same, and its
/// registers hold the same. Scope::warp: not known to be shared.
class Scopes {
 public:
  explicit Scopes(const ir::Function& function);

  /// Scope::instant: a copy of a special register (is_copy()).
  Scope of_inst(u32 index) const { return insts_[index]; }
  Scope of_source(const ir::Operand& operand) const;
  /// Whether the instruction only gives its register the value of a special register; nothing else
  /// writes that register, so it may be the special register's place.
  bool is_copy(u32 index) const { return insts_[index] == Scope::instant; }

 private:
  Scope of_result(const ir::Inst& inst) const;
  bool copies_special(const ir::Inst& inst) const;

  const ir::Function& f_;
  std::vector<u8> writers_;       // by register; 2: two or more
  std::vector<Scope> registers_;  // by register
  std::vector<Scope> insts_;      // by instruction
};

}  // namespace heddle::interp
