// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN as a framework sees it when it starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

extern "C" {
std::size_t cudnnGetVersion();
int cudnnGetProperty(int type, int* value);
const char* cudnnGetErrorString(int status);
int cudnnCreate(void** handle);
int cudnnDestroy(void* handle);
int cudnnSetStream(void* handle, void* stream);
int cudnnGetStream(void* handle, void** stream);
int cudnnGraphVersionCheck();
int cudnnConvolutionForward(void* handle);
}

namespace {

TEST(Cudnn, Version) {
  int major = 0, minor = 0, patch = 0;
  EXPECT_EQ(cudnnGetProperty(0, &major), 0);
  EXPECT_EQ(cudnnGetProperty(1, &minor), 0);
  EXPECT_EQ(cudnnGetProperty(2, &patch), 0);
  EXPECT_EQ(cudnnGetVersion(), major * 10'000u + minor * 100u + patch);
  EXPECT_EQ(major, 9) << "as the library's name says";
  EXPECT_EQ(cudnnGetProperty(3, &major), 2000);
  EXPECT_EQ(cudnnGetProperty(0, nullptr), 2002);
  EXPECT_EQ(cudnnGraphVersionCheck(), 0);
}

TEST(Cudnn, HandlesHaveAStream) {
  void *handle = nullptr, *stream = nullptr;
  int any = 0;
  ASSERT_EQ(cudnnCreate(&handle), 0);
  EXPECT_EQ(cudnnSetStream(handle, &any), 0);
  EXPECT_EQ(cudnnGetStream(handle, &stream), 0);
  EXPECT_EQ(stream, &any);
  EXPECT_EQ(cudnnDestroy(handle), 0);
  EXPECT_EQ(cudnnCreate(nullptr), 2002);
  EXPECT_EQ(cudnnSetStream(nullptr, nullptr), 2002);
  EXPECT_EQ(cudnnGetStream(nullptr, &stream), 2002);
}

TEST(Cudnn, OperationsAreRefusedByName) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudnnConvolutionForward(nullptr), 3000);
  EXPECT_EQ(cudnnConvolutionForward(nullptr), 3000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cudnnConvolutionForward is not supported: Heddle has no cuDNN\n");
  EXPECT_STREQ(cudnnGetErrorString(3000), "CUDNN_STATUS_NOT_SUPPORTED");
}

}  // namespace
