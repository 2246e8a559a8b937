// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strong and weak loads and stores (PTX ISA 8.4, 8.5).
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Whether a load or store is strong: volatile, relaxed, an acquire or a release. What it looks at
/// may be written by another thread meanwhile, so a loop may wait for that.
bool is_strong(const Inst& inst);

/// Whether it is strong for threads beyond its cluster. Those within run on one host thread: what
/// only they look at, by the state space or the scope, needs plain accesses in the program's order.
bool is_strong_beyond_cluster(const Inst& inst);

}  // namespace heddle::ir
