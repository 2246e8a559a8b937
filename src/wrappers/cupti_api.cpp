// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wrapper in front of CUPTI, NVIDIA's library for profilers, which needs NVIDIA's driver.
// Programs such as JAX ask for its version before they use the device. All other functions are the
// vendor's, and fail.
#include <cstdint>

/// CUPTI_API_VERSION of CUDA 13.0.
constexpr uint32_t kVersion = 130000;
constexpr int kSuccess = 0, kInvalidParameter = 1;

extern "C" __attribute__((visibility("default"))) int cuptiGetVersion(uint32_t* version) {
  if (!version) return kInvalidParameter;
  *version = kVersion;
  return kSuccess;
}
