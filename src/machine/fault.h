// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to a device address that belongs to no allocation hits a page without access. The
// process-wide handler of SIGSEGV and SIGBUS (fault_signals.h) jumps back into the engine when the
// fault is a kernel's on this thread, and passes every other fault to the handler that was
// installed before.
#pragma once

#include <csetjmp>

#include "base/types.h"
#include "machine/memory.h"

namespace heddle::machine {

struct Fault {
  u64 address = 0;  ///< the inaccessible address
  u64 code = 0;     ///< address of the host's instruction; 0: not known
};

/// While alive, faults of this thread inside the reserved ranges of `memory` jump to `recover` with
/// value kFault. The thread must be within machine::launch, which sets up the signals.
class FaultGuard {
 public:
  static constexpr int kFault = 2;

  FaultGuard(const Memory& memory, sigjmp_buf* recover, Fault* fault);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  /// Called by the handler: jumps to `recover` if the fault is a kernel's on this thread; else
  /// returns. `context`: the handler's third argument.
  static void leave_if_kernels(u64 address, const void* context);

 private:
  const Memory& memory_;
  sigjmp_buf* const recover_;
  Fault* const fault_;
  FaultGuard* const previous_;
};

}  // namespace heddle::machine
