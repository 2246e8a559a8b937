// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See call.h.
#include "driver/core/call.h"

#include "base/per_thread.h"

namespace heddle::driver {
namespace {
thread_local bool in_callback = false;
}  // namespace

std::vector<ContextPtr>& context_stack() {
  static const PerThread<std::vector<ContextPtr>> stacks;
  return stacks.here();
}

Context* current_context() {
  const auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back().get();
}

InCallback::InCallback() { in_callback = true; }
InCallback::~InCallback() { in_callback = false; }
bool InCallback::here() { return in_callback; }

}  // namespace heddle::driver
