// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context of a call. A thread has a current device, and each device one primary context, which
// is created when the first call needs it. If the program has made a context current with the
// driver API, the call uses that context. Runtime API 6.1, 6.36 (interactions with the driver API).
#pragma once

#include "runtime/core/error.h"

namespace heddle::runtime {

/// Initialises the driver.
cudaError_t use_driver();

/// Makes sure that the thread has a current context.
cudaError_t use_context();

/// The device of the current context, or the device that the thread has chosen; creates no context.
cudaError_t current_device(int& device);

/// Makes `device` the thread's current device, and its primary context current.
cudaError_t choose_device(int device);

/// Makes `device` the device whose context the thread's next call creates.
void prefer_device(int device);

/// The primary context of `device`, kept for the life of the process.
cudaError_t primary_context(int device, CUcontext& context);

/// Runs `body()`, which returns a result of the driver, in the thread's context.
template <class Body>
cudaError_t in_context(Body body) {
  if (const cudaError_t error = use_context()) return error;
  return from_driver(body());
}

}  // namespace heddle::runtime
