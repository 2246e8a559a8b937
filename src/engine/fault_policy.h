// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_ON_FAULT: what comes of a kernel that accesses what is no memory.
// `trap`, the default: it ends, as on a GPU that notices. `report`: the first
// such access of each instruction is told on stderr, loads read zeros, stores
// are dropped, and the kernel goes on: for programs that a GPU runs because it
// does not notice.
#pragma once

#include <functional>
#include <string>

#include "machine/trap.h"

namespace heddle::engine {

/// RunOptions::on_fault as the environment asks. `say` prints what is told, and may be called by
/// several threads.
std::function<void(const machine::Trap&)> on_fault_of_environment(
    std::function<void(const std::string&)> say);

}  // namespace heddle::engine
