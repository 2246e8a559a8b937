// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nearly every entry point begins with: is the driver initialised, is there a current context,
// is it still good. An entry point reads
//     return in_context([&](Context& context) -> CUresult { ... });
#pragma once

#include <vector>

#include "driver/core/state.h"

namespace heddle::driver {

/// The contexts that are current to this thread, the last one on top; null entries stand for
/// "none".
std::vector<ContextPtr>& context_stack();

/// The thread's current context, or null.
Context* current_context();

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
  if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
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
    Context* context = current_context();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->is_destroyed()) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
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

}  // namespace heddle::driver
