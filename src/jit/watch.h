// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code does not come back to look at the clock. One thread looks for all CTAs that run and
// tells them to stop when their launch is over: its time limit, a trap elsewhere, the end of the
// process. Loops look at Context::stop.
#pragma once

#include "jit/context.h"
#include "machine/engine.h"

namespace heddle::jit {

/// While alive, `context` is told to stop when `launch` is.
class Watched {
 public:
  Watched(Context& context, const machine::Launch& launch);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Context& context_;
};

}  // namespace heddle::jit
