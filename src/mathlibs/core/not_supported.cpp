// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See not_supported.h.
#include "mathlibs/core/not_supported.h"

#include <cstdio>

namespace heddle::mathlibs {

cublasStatus_t NotSupported::report() {
  if (!said_.exchange(true)) std::fprintf(stderr, "heddle: %s is not supported yet\n", function_);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace heddle::mathlibs
