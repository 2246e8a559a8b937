// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a documented function that is not written yet does: it fails, and names itself once on
// stderr, so that nobody takes a silent success for work done.
#pragma once

#include <atomic>

#include "runtime/abi.h"

namespace heddle::runtime {

class NotSupported {
 public:
  constexpr explicit NotSupported(const char* function) : function_(function) {}
  /// cudaErrorNotSupported; prints the function's name the first time.
  cudaError_t report();

 private:
  const char* function_;
  std::atomic<bool> said_{false};
};

}  // namespace heddle::runtime
