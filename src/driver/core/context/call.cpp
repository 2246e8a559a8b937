// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See call.h.
#include "driver/core/context/call.h"

#include "base/per_thread.h"
#include "driver/core/context/green_context.h"
#include "driver/core/context/tables.h"

namespace heddle::driver {
namespace {
/// The kind of callback that the thread runs.
thread_local std::optional<InCallback::Kind> callback;
}  // namespace

std::vector<ContextView>& context_stack() {
  static const PerThread<std::vector<ContextView>> stacks;
  return stacks.here();
}

Context* current_context() {
  const auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back().context.get();
}

GreenContext* current_green() {
  const auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back().green.get();
}

GreenContextPtr green_of(CUcontext handle) {
  if (handle) return find_view(handle).green;
  const auto& stack = context_stack();
  return stack.empty() ? nullptr : stack.back().green;
}

ContextView find_view(CUcontext handle) {
  if (auto context = context_tables().contexts.find(handle)) return {std::move(context)};
  auto green = context_tables().green_views.find(handle);
  return green ? ContextView{green->primary(), green} : ContextView{};
}

InCallback::InCallback(Kind kind) { callback = kind; }
InCallback::~InCallback() { callback.reset(); }
bool InCallback::here() { return callback.has_value(); }
bool InCallback::in_host_function() { return callback == Kind::host_function; }

}  // namespace heddle::driver
