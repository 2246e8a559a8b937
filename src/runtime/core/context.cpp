// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See context.h.
#include "runtime/core/context.h"

#include <map>
#include <mutex>

#include "driver/api.h"

namespace heddle::runtime {
namespace {

thread_local int preferred = 0;

std::mutex primary_mutex;

std::map<int, CUcontext>& primaries() {
  static auto& contexts = *new std::map<int, CUcontext>;  // outlives the threads of the program
  return contexts;
}

cudaError_t make_current(int device) {
  CUcontext context = nullptr;
  if (const cudaError_t error = primary_context(device, context)) return error;
  return from_driver(cuCtxSetCurrent(context));
}

}  // namespace

cudaError_t use_driver() { return from_driver(cuInit(0)); }

cudaError_t use_context() {
  CUcontext context = nullptr;
  const CUresult result = cuCtxGetCurrent(&context);
  if (result == CUDA_SUCCESS && context) return cudaSuccess;
  if (result && result != CUDA_ERROR_NOT_INITIALIZED) return from_driver(result);
  return make_current(preferred);
}

cudaError_t current_device(int& device) {
  if (const cudaError_t error = use_driver()) return error;
  CUcontext context = nullptr;
  if (const CUresult result = cuCtxGetCurrent(&context)) return from_driver(result);
  if (context) return from_driver(cuCtxGetDevice(&device));
  device = preferred;
  return cudaSuccess;
}

cudaError_t choose_device(int device) {
  if (const cudaError_t error = make_current(device)) return error;
  preferred = device;
  return cudaSuccess;
}

void prefer_device(int device) { preferred = device; }

cudaError_t primary_context(int device, CUcontext& context) {
  const std::lock_guard lock(primary_mutex);
  auto& found = primaries()[device];
  if (!found) {
    if (const cudaError_t error = use_driver()) return error;
    if (const CUresult result = cuDevicePrimaryCtxRetain(&found, device)) {
      return from_driver(result);
    }
  }
  context = found;
  return cudaSuccess;
}

}  // namespace heddle::runtime
