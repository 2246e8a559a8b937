// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See handle.h.
#include "mathlibs/core/handle.h"

#include <mutex>
#include <unordered_map>

namespace heddle::mathlibs {
namespace {

struct Handles {
  std::mutex mutex;
  std::unordered_map<cublasHandle_t, std::unique_ptr<cublasContext>> all;
};

/// Never destroyed: a program may use a handle while the process ends.
Handles& handles() {
  static auto* const table = new Handles;
  return *table;
}

}  // namespace

cublasHandle_t make_handle() {
  auto made = std::make_unique<cublasContext>();
  const cublasHandle_t handle = made.get();
  const std::lock_guard lock(handles().mutex);
  handles().all.emplace(handle, std::move(made));
  return handle;
}

bool is_handle(cublasHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  return handles().all.contains(handle);
}

cublasStatus_t destroy_handle(cublasHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  return handles().all.erase(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

}  // namespace heddle::mathlibs
