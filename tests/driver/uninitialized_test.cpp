// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before cuInit every function that needs a device returns an error, and cuInit may be called
// twice.
#include <gtest/gtest.h>

#include "driver/api.h"

namespace {

TEST(BeforeInit, NothingWorks) {
  int number = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr pointer = 0;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  EXPECT_EQ(cuDeviceGetCount(&number), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuStreamCreate(&stream, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(Init, FlagsMustBeZero) { EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE); }

TEST(Init, AgainIsFine) {
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
}

TEST(AfterInit, NoContextIsCurrent) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUdevice device = 0;
  CUdeviceptr pointer = 0;
  CUcontext context = reinterpret_cast<CUcontext>(1);
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent_v2(&context), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
