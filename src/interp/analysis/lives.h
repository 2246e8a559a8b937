// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/analysis/scopes.h"
#include "ir/module.h"

namespace heddle::interp {

/// The instructions that name a brief register (lives.cpp) first and last; of another register
/// none.
struct Life {
  u32 first = ~0u, last = 0;
  bool is_brief() const { return first != ~0u; }
};

/// By instruction, and one more: whether a branch leads there.
std::vector<bool> find_targets(const ir::Function& function);

/// By register. A register that an instruction writes which does not run in each warp is not brief.
std::vector<Life> find_lives(const ir::Function& function, const Scopes& scopes);

}  // namespace heddle::interp
