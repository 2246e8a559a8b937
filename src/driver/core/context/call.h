// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nearly every entry point begins with: is the driver initialised, is there a current context,
// is it still good. An entry point reads
//     return in_context([&](Context& context) -> CUresult { ... });
#pragma once

#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/process.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

/// What a CUcontext stands for: a context, or a green context and the primary one that it is in.
struct ContextView {
  ContextPtr context = nullptr;
  GreenContextPtr green = nullptr;

  CUcontext handle() const { return green ? green->view() : context->handle(); }
  StreamPtr legacy_stream() const {
    return green ? green->default_stream(CU_STREAM_LEGACY)
                 : context->default_stream(CU_STREAM_LEGACY);
  }
};
/// Without a context when the handle is none.
ContextView find_view(CUcontext handle);
inline ContextPtr find_context(CUcontext handle) { return find_view(handle).context; }

/// The contexts that are current to this thread, the last one on top.
std::vector<ContextView>& context_stack();

/// The thread's current context, or null.
Context* current_context();
/// The green context that is current, or null.
GreenContext* current_green();
/// The same for a handle, null being the current one.
GreenContextPtr green_of(CUcontext handle);

/// While alive, this thread runs a program's callback, from which the driver must not be called.
class InCallback {
 public:
  InCallback();
  ~InCallback();
  static bool here();
};

/// Runs `body()` when the driver is initialised.
template <class Body>
CUresult in_driver(Body body) {
  if (const CUresult why = why_not_ready()) return why;
  if (InCallback::here()) return CUDA_ERROR_NOT_PERMITTED;
  return body();
}

/// Runs `body(device)` for a device handle.
template <class Body>
CUresult with_device(CUdevice handle, Body body) {
  return in_driver([&]() -> CUresult {
    Device* found = device(handle);
    return found ? body(*found) : CUDA_ERROR_INVALID_DEVICE;
  });
}

/// Runs `body(context)` in the current context, also when a kernel of it has failed.
template <class Body>
CUresult in_any_context(Body body) {
  return in_driver([&]() -> CUresult {
    const auto& stack = context_stack();
    Context* const context = stack.empty() ? nullptr : stack.back().context.get();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    const GreenContext* const green = stack.back().green.get();
    if (context->is_destroyed() || (green && green->is_destroyed())) {
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    return body(*context);
  });
}

/// Runs `body(context)` in the current context, unless a kernel of it has failed.
template <class Body>
CUresult in_context(Body body) {
  return in_any_context([&](Context& context) -> CUresult {
    if (const CUresult error = context.error()) return error;
    return body(context);
  });
}

/// Writes a result, if there is a place for it.
template <class T>
CUresult give(T* out, T value) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
