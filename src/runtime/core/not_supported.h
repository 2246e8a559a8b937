// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a documented function that is not written yet: it fails, and prints its name once on
// stderr, so that it is never mistaken for a success.
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
