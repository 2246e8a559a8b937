// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGSEGV and SIGBUS belong to the process, and their handlers, masks and alternate stacks to the
// program. Kernels need two things of them: that Heddle's handler comes first, and that the thread
// that runs a kernel does not block them (a fault that is blocked ends the process).
#pragma once

#include <csignal>

namespace heddle::machine {

/// While alive, this thread takes both signals, and Heddle's handler came first when it was made:
/// before any that the program has installed since the last time, which gets all that is not a
/// kernel's, as if it were alone.
class FaultSignals {
 public:
  FaultSignals();
  ~FaultSignals();
  FaultSignals(const FaultSignals&) = delete;
  FaultSignals& operator=(const FaultSignals&) = delete;

  /// Has Heddle's handler come first again. For who runs a kernel that takes long: the program may
  /// install a handler on another thread meanwhile.
  static void come_first();

 private:
  sigset_t before_;
};

}  // namespace heddle::machine
