// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a documented function that is not written yet: it fails, and prints its name once on
// stderr, so that it is never mistaken for a success.
#pragma once

#include <atomic>

#include "mathlibs/abi.h"

namespace heddle::mathlibs {

class NotSupported {
 public:
  constexpr explicit NotSupported(const char* function) : function_(function) {}
  /// CUBLAS_STATUS_NOT_SUPPORTED; prints the function's name the first time.
  cublasStatus_t report();

 private:
  const char* function_;
  std::atomic<bool> said_{false};
};

}  // namespace heddle::mathlibs
