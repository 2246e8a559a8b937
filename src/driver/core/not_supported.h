// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a documented function that Heddle has not written yet does: it fails, and names itself once
// on stderr, so that nobody takes a silent success for work done.
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
