// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks with which nearly every entry point begins: the driver is initialised, there is a current
// context, and none of its kernels has failed. An entry point reads
//     return in_context([&](Context& context) -> CUresult { ... });
#pragma once

#include <vector>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/process.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {

/// The meaning of a CUcontext: a context, or a green context and its primary context.
struct ContextView {
  ContextPtr context = nullptr;
  GreenContextPtr green = nullptr;

  CUcontext handle() const { return green ? green->view() : context->handle(); }
  StreamPtr legacy_stream() const {
    return green ? green->default_stream(CU_STREAM_LEGACY)
                 : context->default_stream(CU_STREAM_LEGACY);
  }
};
/// The view of a handle. Its context is null when the handle is not valid.
ContextView find_view(CUcontext handle);
inline ContextPtr find_context(CUcontext handle) { return find_view(handle).context; }

/// The contexts that are current to this thread, the last one on top.
std::vector<ContextView>& context_stack();

/// The thread's current context, or null.
Context* current_context();
/// The thread's current green context, or null.
GreenContext* current_green();
/// The green context of a handle, where a null handle is the current context. Null when there is
/// none.
GreenContextPtr green_of(CUcontext handle);

/// While alive, this thread runs a program's callback, from which the driver must not be called.
class InCallback {
 public:
  /// A host function runs when the driver holds no lock.
  enum class Kind { host_function, other };
  explicit InCallback(Kind kind = Kind::other);
  ~InCallback();
  static bool here();
  static bool in_host_function();
};

/// Runs `body()` when the driver is initialised.
template <class Body>
CUresult in_driver(Body body) {
  if (const CUresult why = why_not_ready()) return why;
  if (InCallback::here()) return CUDA_ERROR_NOT_PERMITTED;
  return body();
}

/// The same for calls that are allowed in host functions (cuLaunchHostFunc), too. CUDA leaves it
/// open whether a call there is refused; libraries whose work is host functions ask there whether a
/// pointer is the device's.
template <class Body>
CUresult in_driver_or_host_function(Body body) {
  if (const CUresult why = why_not_ready()) return why;
  if (InCallback::here() && !InCallback::in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
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

/// Runs `body(context)` in the current context, even if one of its kernels has failed.
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

/// Runs `body(context)` in the current context. When one of its kernels has failed, returns that
/// error.
template <class Body>
CUresult in_context(Body body) {
  return in_any_context([&](Context& context) -> CUresult {
    if (const CUresult error = context.error()) return error;
    return body(context);
  });
}

/// Writes a result unless its pointer is null.
template <class T>
CUresult give(T* out, T value) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CUDA_SUCCESS;
}

}  // namespace heddle::driver
