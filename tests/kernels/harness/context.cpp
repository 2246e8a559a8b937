// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See context.h.
#include "harness/context.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

CUcontext shared_context = nullptr;

// The recursive kernels need more than the default of 1 KiB, most of all without optimisation.
constexpr size_t kStackBytes = 16 * 1024;

}  // namespace

std::string error_name(CUresult result) {
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  return std::string(name) + " (" + std::to_string(static_cast<int>(result)) + ")";
}

bool succeeded(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return true;
  ADD_FAILURE() << what << ": " << error_name(result);
  return false;
}

bool ensure_context() {
  if (shared_context != nullptr && cuCtxSynchronize() == CUDA_SUCCESS) return true;
  drop_context();
  CUdevice device = 0;
  return succeeded(cuInit(0), "cuInit") && succeeded(cuDeviceGet(&device, 0), "cuDeviceGet") &&
         succeeded(cuCtxCreate_v2(&shared_context, 0, device), "cuCtxCreate") &&
         succeeded(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, kStackBytes), "cuCtxSetLimit");
}

void drop_context() {
  if (shared_context != nullptr) cuCtxDestroy_v2(shared_context);
  shared_context = nullptr;
}

int device_compute_capability() {
  int major = 0;
  int minor = 0;
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0);
  return major * 10 + minor;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace heddle::kernels
