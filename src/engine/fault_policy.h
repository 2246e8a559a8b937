// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_ON_FAULT: the behaviour of a kernel that accesses an address where there is no memory.
// `trap`, the default: the kernel ends, as on a GPU that detects the access. `report`: the first
// such access of each instruction is reported on stderr, loads read zeros, stores have no effect,
// and the kernel continues. This is for programs that run on a GPU because the GPU does not detect
// the access.
#pragma once

#include <functional>
#include <string>

#include "machine/trap.h"

namespace heddle::engine {

/// RunOptions::on_fault for the environment. `say` prints a message; several threads may call it.
std::function<void(const machine::Trap&)> on_fault_of_environment(
    std::function<void(const std::string&)> say);

}  // namespace heddle::engine
