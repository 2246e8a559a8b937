// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGSEGV and SIGBUS belong to the process, and their handlers, masks and alternate stacks to the
// program. Kernels have two requirements: Heddle's handler comes first, and the thread that runs a
// kernel does not block the two signals (a blocked fault ends the process).
#pragma once

#include <csignal>

namespace heddle::machine {

/// While alive, this thread does not block the two signals. The constructor makes Heddle's handler
/// come first, before any handler that the program has installed since; that handler gets all
/// signals that are not a kernel's fault, as if it were alone.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;

  /// Makes Heddle's handler come first again. Called while a long kernel runs, because the program
  /// may install a handler on another thread meanwhile.
  static void come_first();

 private:
  sigset_t before_;
};

}  // namespace heddle::machine
