// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to a device address that belongs to no allocation hits a page without access. The
// process-wide SIGSEGV/SIGBUS handler, installed at the first launch, jumps back into the engine
// when the fault is a kernel's on this thread, and hands every other one to the handler that was
// there before.
#pragma once

#include <csetjmp>
#include <csignal>

#include "base/types.h"
#include "machine/memory.h"

namespace heddle::machine {

struct Fault {
  u64 address = 0;  ///< that was not to be had
  u64 code = 0;     ///< of the host's instruction; 0: not known
};

/// While alive, faults of this thread inside the reserved ranges of `memory` jump to `recover` with
/// value kFault.
class FaultGuard {
 public:
  static constexpr int kFault = 2;

  FaultGuard(const Memory& memory, sigjmp_buf* recover, Fault* fault);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  struct State {
    const Memory* memory = nullptr;
    sigjmp_buf* recover = nullptr;
    Fault* fault = nullptr;
  };
  static thread_local State current;
  friend void on_fault(int, siginfo_t*, void*);
  State previous_;
};

}  // namespace heddle::machine
