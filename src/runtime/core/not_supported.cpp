// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See not_supported.h.
#include "runtime/core/not_supported.h"

#include <cstdio>

namespace heddle::runtime {

cudaError_t NotSupported::report() {
  if (!said_.exchange(true)) std::fprintf(stderr, "heddle: %s is not supported yet\n", function_);
  return cudaErrorNotSupported;
}

}  // namespace heddle::runtime
