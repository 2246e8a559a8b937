// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrong value of HEDDLE_DEVICE: there is no device, and the reason is on stderr.
#include <gtest/gtest.h>

#include <cstdlib>

#include "nvml/api.h"

namespace {

TEST(Environment, WithoutADevice) {
  setenv("HEDDLE_DEVICE", "gpu", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(nvmlInit_v2(), NVML_ERROR_DRIVER_NOT_LOADED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no device: "), std::string::npos);
  unsigned count = 1;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
