// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Documented functions that Heddle does not support: a call fails, and the first call prints the
// function's name on stderr.
#pragma once

#include <atomic>

#include "driver/abi.h"

namespace heddle::driver {

class NotSupported {
 public:
  constexpr explicit NotSupported(const char* function) : function_(function) {}
  /// CUDA_ERROR_NOT_SUPPORTED; prints the function's name the first time.
  CUresult report();

 private:
  const char* function_;
  std::atomic<bool> said_{false};
};

}  // namespace heddle::driver
