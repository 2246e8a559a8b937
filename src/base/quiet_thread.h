// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Heddle that never run code of the program.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Starts a detached thread that lives until the process ends. Signals belong to the program, and
/// its handlers may not expect this thread, so it blocks all signals except faults of its own
/// instructions. `stack_bytes`: the size of its stack; 0: the process's default. False: no thread
/// could be started.
bool start_quiet_thread(std::function<void()> body, std::size_t stack_bytes = 0);

}  // namespace heddle
