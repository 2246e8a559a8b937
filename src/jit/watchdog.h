// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code cannot look at the clock. One thread watches all CTAs that run and sets
// Context::stop when their launch is over: its time limit, a trap of another CTA, the end of the
// process. Loops poll Context::stop.
#pragma once

#include "jit/context.h"
#include "machine/engine.h"

namespace heddle::jit {

/// While alive, Context::stop is set when `launch` is over.
class Watchdog {
 public:
  Watchdog(Context& context, const machine::Launch& launch);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  Context& context_;
};

}  // namespace heddle::jit
