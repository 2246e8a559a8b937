// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See error.h.
#include "runtime/core/error.h"

namespace heddle::runtime {
namespace {

thread_local cudaError_t last = cudaSuccess;

// Whether the error, of a kernel, makes its context unusable.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t from_driver(CUresult result) { return static_cast<cudaError_t>(result); }

cudaError_t record(cudaError_t error) {
  if (error) last = error;
  return error;
}

cudaError_t last_error() { return last; }

cudaError_t take_last_error() {
  const cudaError_t error = last;
  if (!is_sticky(error)) last = cudaSuccess;
  return error;
}

void clear_last_error() { last = cudaSuccess; }

}  // namespace heddle::runtime
