// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error state of a thread, names and texts. Runtime API 6.3.
#include <thread>

#include "../driver/kernels.h"
#include "program.h"

namespace {

TEST(Errors, LastOneStaysUntilTaken) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMemcpy(memory, memory, 1, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_OK(cudaMalloc(&memory, 16));
  EXPECT_OK(cudaFree(memory));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaPeekAtLastError());
}

TEST(Errors, EachThreadHasItsOwn) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_OK(cudaGetLastError()); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(Errors, NamesAndTexts) {
  const struct {
    cudaError_t error;
    const char *name, *text;
  } cases[] = {
      {cudaSuccess, "cudaSuccess", "no error"},
      {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
      {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
      {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
       "the program carries no such kernel for this device"},
      {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
       "no kernel image is available for execution on the device"},
      {static_cast<cudaError_t>(12345), "unrecognized error code", "unrecognized error code"},
  };
  for (const auto& [error, name, text] : cases) {
    EXPECT_STREQ(cudaGetErrorName(error), name);
    EXPECT_STREQ(cudaGetErrorString(error), text);
  }
}

TEST(Errors, NotWrittenYetSaysSoOnce) {
  const void* table = nullptr;
  const cudaUUID_t id{};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGetExportTable(&table, &id), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetExportTable(&table, &id), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cudaGetExportTable is not supported yet\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

// A kernel's trap makes the context unusable until the device is reset; cudaGetLastError does not
// clear the error.
TEST(Errors, TrapStaysUntilReset) {
  Program program(kKernels);
  const void* stop = program.kernel("stop");
  testing::internal::CaptureStderr();
  EXPECT_OK(cudaLaunchKernel(stop, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  testing::internal::GetCapturedStderr();
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
  EXPECT_OK(cudaDeviceReset());
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaMalloc(&memory, 4));
  const void* count = program.kernel("count");
  EXPECT_OK(cudaLaunchKernel(count, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
}

}  // namespace
