// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_ON_FAULT: what comes of a kernel that accesses what is no memory.
// `trap`, the default: it ends, as on a GPU that notices. `report`: the first
// such access of each instruction is told on stderr, loads read zeros, stores
// are dropped, and the kernel goes on: for programs that a GPU runs because it
// does not notice.
#pragma once

#include <functional>

#include "machine/trap.h"

namespace heddle::driver {

/// LaunchConfig::on_fault as the environment wants it.
std::function<void(const machine::Trap&)> on_fault_of_environment();

}  // namespace heddle::driver
