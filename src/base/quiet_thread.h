// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Heddle that run nothing of the program's.
#pragma once

#include <functional>

namespace heddle {

/// Starts a thread that goes with the process. Signals are the program's, and its handlers may not
/// expect this thread: it takes none but those that an instruction of its own causes.
void start_quiet_thread(std::function<void()> body);

}  // namespace heddle
