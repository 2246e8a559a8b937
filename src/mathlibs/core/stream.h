// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in a stream: a task runs on the host after the stream's earlier work and before its later
// work (driver API 6.18, cuLaunchHostFunc). In a stream that is captured the task becomes a node of
// the graph, and runs at each launch.
#pragma once

#include <functional>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

/// Makes sure that the thread has a current context, that of device 0 if the program has none, and
/// that the host's BLAS is loaded. CUBLAS_STATUS_NOT_INITIALIZED when one is missing.
cublasStatus_t use_context();

/// Appends `task` to the stream. CUBLAS_STATUS_EXECUTION_FAILED when the driver refuses.
cublasStatus_t enqueue(cudaStream_t stream, std::function<void()> task);

/// Waits for the stream's work. CUBLAS_STATUS_EXECUTION_FAILED when it has failed, or the stream is
/// captured.
cublasStatus_t wait_for(cudaStream_t stream);

}  // namespace heddle::mathlibs
