// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of a function of libcublas: its arguments are checked in order, the first fault is the
// call's status, and the work becomes a task of the handle's stream when there was none.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "mathlibs/core/element.h"
#include "mathlibs/core/handle.h"
#include "mathlibs/core/memory.h"
#include "mathlibs/core/stream.h"

namespace heddle::mathlibs {

/// A factor: a value that was read at the call, or an address on the device that the task reads.
template <class T>
class Scalar {
 public:
  Scalar() = default;
  explicit Scalar(T value) : value_(value) {}
  explicit Scalar(const T* on_device) : on_device_(on_device) {}
  T operator()() const { return on_device_ ? *on_device_ : value_; }
  bool is_on_device() const { return on_device_; }

 private:
  T value_{};
  const T* on_device_ = nullptr;
};

class Call {
 public:
  /// CUBLAS_STATUS_NOT_INITIALIZED when `handle` is none.
  explicit Call(cublasHandle_t handle);

  // Each check leaves the first fault as the status.

  /// CUBLAS_STATUS_INVALID_VALUE unless `holds`.
  Call& require(bool holds, const char* what);
  /// CUBLAS_STATUS_NOT_SUPPORTED unless `holds`.
  Call& support(bool holds, const char* what);
  /// Sizes are not negative, and the host's BLAS can count to them.
  Call& size(int64_t n, const char* what);
  Call& operation(cublasOperation_t operation);
  Call& fill(cublasFillMode_t fill);
  Call& side(cublasSideMode_t side);
  Call& diagonal(cublasDiagType_t diagonal);
  /// CUBLAS_STATUS_MAPPING_ERROR unless `count` elements of `size` bytes from `address` on lie in
  /// the device's memory.
  Call& memory(const void* address, int64_t count, int64_t size, const char* what);
  template <class T>
  Call& vector(const T* x, int64_t n, int64_t inc, const char* what) {
    require(inc != 0, "an increment is 0");
    support(static_cast<int32_t>(inc) == inc, "an increment has more than 31 bits");
    return memory(x, extent(n, inc), sizeof(T), what);
  }
  /// An array of the batch's pointers on the device.
  template <class T>
  Call& pointers(const T* const* matrices, int64_t batch, const char* what) {
    return memory(static_cast<const void*>(matrices), batch, sizeof(void*), what);
  }
  /// Also checks the leading dimension.
  template <class T>
  Call& matrix(const T* a, int64_t rows, int64_t cols, int64_t ld, const char* what) {
    leading(rows, ld, what);
    return memory(a, extent(rows, cols, ld), sizeof(T), what);
  }
  Call& leading(int64_t rows, int64_t ld, const char* what);

  /// The factor at `pointer`, which the pointer mode says where to find.
  template <class T>
  Scalar<T> scalar(const T* pointer, const char* what) {
    require(pointer, what);
    if (status_) return {};
    if (handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST) return Scalar<T>(*pointer);
    memory(pointer, 1, sizeof(T), what);
    return Scalar<T>(pointer);
  }

  bool ok() const { return !status_; }
  cublasStatus_t status() const { return status_; }
  cublasContext& handle() const { return *handle_; }
  bool results_on_host() const { return ok() && handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST; }

  /// Appends the task to the stream.
  cublasStatus_t run(std::function<void()> task);
  /// A task that finds its pointers in memory, and fails when one is not the device's: it then
  /// returns what is wrong, and the handle's next call returns CUBLAS_STATUS_EXECUTION_FAILED.
  cublasStatus_t run_checked(std::function<const char*()> task);
  /// A task that writes to `result`, which the pointer mode says where to find. Waits for the task
  /// when it is on the host.
  template <class T, class Task>
  cublasStatus_t run_to(T* result, Task task) {
    require(result, "the result's address is null");
    if (ok() && !results_on_host()) memory(result, 1, sizeof(T), "the result");
    const cublasStatus_t status = run([=] { *result = task(); });
    return status || !results_on_host() ? status : wait_for(handle_->stream);
  }

 private:
  Call& fail_unless(bool holds, cublasStatus_t status, const char* what);
  cublasContext* handle_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

}  // namespace heddle::mathlibs
