// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "interp/analysis/scopes.h"
#include "ir/module.h"

namespace heddle::interp {

/// By instruction: whether it is a store or an atomic operation that may overwrite a word that all
/// warps loaded since the last barrier. Stores in a loop behind the load are left out, because each
/// iteration would pause.
std::vector<bool> find_overwrites(const ir::Function& function, const Scopes& scopes);

}  // namespace heddle::interp
