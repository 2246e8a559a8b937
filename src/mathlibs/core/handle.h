// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handle of libcublas holds.
#pragma once

#include <atomic>
#include <memory>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

/// Whether a task has failed when it ran. The handle and its tasks share it.
using TaskFailure = std::shared_ptr<std::atomic<bool>>;

}  // namespace heddle::mathlibs

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  int sm_count_target = 0;
  heddle::mathlibs::TaskFailure failed = std::make_shared<std::atomic<bool>>(false);
};

namespace heddle::mathlibs {

cublasHandle_t make_handle();
/// Whether the handle was made and not destroyed.
bool is_handle(cublasHandle_t handle);
/// CUBLAS_STATUS_NOT_INITIALIZED when it is no handle.
cublasStatus_t destroy_handle(cublasHandle_t handle);

}  // namespace heddle::mathlibs
