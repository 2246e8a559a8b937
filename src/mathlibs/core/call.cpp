// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See call.h.
#include "mathlibs/core/call.h"

#include <algorithm>
#include <limits>

#include "mathlibs/core/entry.h"
#include "mathlibs/core/log.h"

namespace heddle::mathlibs {

Call::Call(cublasHandle_t handle) : handle_(handle) {
  if (!is_handle(handle)) {
    status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    log("there is no such handle");
    return;
  }
  if (handle->failed->exchange(false)) {
    status_ = CUBLAS_STATUS_EXECUTION_FAILED;
    log("an earlier call of this handle has failed in its stream");
    return;
  }
  status_ = use_context();
}

Call& Call::fail_unless(bool holds, cublasStatus_t status, const char* what) {
  if (!status_ && !holds) {
    status_ = status;
    log(what);
  }
  return *this;
}

Call& Call::require(bool holds, const char* what) {
  return fail_unless(holds, CUBLAS_STATUS_INVALID_VALUE, what);
}
Call& Call::support(bool holds, const char* what) {
  return fail_unless(holds, CUBLAS_STATUS_NOT_SUPPORTED, what);
}

Call& Call::size(int64_t n, const char* what) {
  require(n >= 0, what);
  return support(n <= std::numeric_limits<int32_t>::max(), what);
}

Call& Call::operation(cublasOperation_t operation) {
  return require(operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C,
                 "an operation is none of N, T and C");
}

Call& Call::fill(cublasFillMode_t fill) {
  return require(fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER,
                 "the fill mode is neither LOWER nor UPPER");
}

Call& Call::side(cublasSideMode_t side) {
  return require(side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT,
                 "the side is neither LEFT nor RIGHT");
}

Call& Call::diagonal(cublasDiagType_t diagonal) {
  return require(diagonal == CUBLAS_DIAG_NON_UNIT || diagonal == CUBLAS_DIAG_UNIT,
                 "the diagonal is neither UNIT nor NON_UNIT");
}

Call& Call::memory(const void* address, int64_t count, int64_t size, const char* what) {
  if (status_ || count == 0) return *this;
  int64_t bytes = 0;
  const bool fits = count > 0 && !__builtin_mul_overflow(count, size, &bytes);
  if (!fits || !is_device_range(address, bytes)) {
    status_ = CUBLAS_STATUS_MAPPING_ERROR;
    log(std::string(what) + " does not lie in the device's memory");
  }
  return *this;
}

Call& Call::leading(int64_t rows, int64_t ld, const char* what) {
  if (!status_ && ld < std::max<int64_t>(1, rows)) {
    status_ = CUBLAS_STATUS_INVALID_VALUE;
    log(std::string("the leading dimension of ") + what + " is less than its rows");
  }
  return support(ld <= std::numeric_limits<int32_t>::max(),
                 "a leading dimension has more than 31 bits");
}

cublasStatus_t Call::run(std::function<void()> task) {
  return status_ ? status_ : enqueue(handle_->stream, std::move(task));
}

cublasStatus_t Call::run_checked(std::function<const char*()> task) {
  if (status_) return status_;
  return enqueue(handle_->stream,
                 [task = std::move(task), failed = handle_->failed, function = Entry::function()] {
                   const char* const wrong = task();
                   if (!wrong) return;
                   failed->store(true);
                   log_failure(function, wrong);
                 });
}

}  // namespace heddle::mathlibs
