// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/analysis/scopes.h"
#include "ir/module.h"

namespace heddle::interp {

/// The first and the last instruction that name a brief register (lives.cpp). Another register has
/// none.
struct Life {
  u32 first = ~0u, last = 0;
  bool is_brief() const { return first != ~0u; }
};

/// By instruction, and one more: whether a branch leads to it.
std::vector<bool> find_targets(const ir::Function& function);

/// By register. A register that a prologue writes is not brief.
std::vector<Life> find_lives(const ir::Function& function, const Scopes& scopes);

}  // namespace heddle::interp
