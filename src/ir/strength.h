// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strong and weak loads and stores (PTX ISA 8.4, 8.5).
#pragma once

#include "ir/module.h"

namespace heddle::ir {

/// Whether a load or store is strong: volatile, relaxed, an acquire or a release. Another thread
/// may write the memory of a strong load concurrently, so a loop may wait for that write.
bool is_strong(const Inst& inst);

/// Whether the access is strong for threads beyond its cluster. Threads of a cluster run on one
/// host thread, so accesses that concern only them, by state space or scope, can be plain accesses
/// in program order.
bool is_strong_beyond_cluster(const Inst& inst);

}  // namespace heddle::ir
