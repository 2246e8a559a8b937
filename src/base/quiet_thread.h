// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Heddle that run nothing of the program's.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// Starts a thread that goes with the process. Signals are the program's, and its handlers may not
/// expect this thread: it takes none but those that an instruction of its own causes. `stack_bytes`:
/// of its stack; 0: what threads of the process have. False: there is no thread for it.
bool start_quiet_thread(std::function<void()> body, std::size_t stack_bytes = 0);

}  // namespace heddle
