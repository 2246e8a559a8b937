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

namespace heddle::interp {

/// While alive, faults of this thread inside the reserved ranges of `memory` jump to `recover` with
/// value kFault.
class FaultGuard {
 public:
  static constexpr int kFault = 2;

  FaultGuard(const machine::Memory& memory, sigjmp_buf* recover, u64* address);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  struct State {
    const machine::Memory* memory = nullptr;
    sigjmp_buf* recover = nullptr;
    u64* address = nullptr;
  };
  static thread_local State current;
  friend void on_fault(int, siginfo_t*, void*);
  State previous_;
};

}  // namespace heddle::interp
