// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors: the driver's results as the runtime's, and the thread's last error. Runtime API 6.3.
#pragma once

#include "driver/abi.h"
#include "runtime/abi.h"

namespace heddle::runtime {

/// The runtime's name for a result of the driver; they have the same number wherever both exist.
cudaError_t from_driver(CUresult result);

/// Makes a failure the thread's last error; returns its argument.
cudaError_t record(cudaError_t error);

/// The last error of this thread.
cudaError_t last_error();
/// Returns the last error and resets it, unless it made the context unusable: only cudaDeviceReset
/// resets such an error.
cudaError_t take_last_error();
void clear_last_error();

}  // namespace heddle::runtime
