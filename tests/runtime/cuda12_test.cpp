// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libcudart.so.12 does otherwise: old structures, old parameters, functions that are gone.
// This program is linked with that library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/api_12.h"

#define EXPECT_OK(call) EXPECT_EQ((call), cudaSuccess)

namespace {

TEST(Cuda12, Version) {
  int version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, 12090);
}

TEST(Cuda12, PropertiesHaveTheOldShape) {
  struct {
    cudaDeviceProp12 properties;
    int behind = 1234;
  } place;
  EXPECT_OK(cudaGetDeviceProperties_v2(&place.properties, 0));
  EXPECT_EQ(place.behind, 1234);
  EXPECT_EQ(place.properties.warpSize, 32);
  EXPECT_EQ(place.properties.major, 12);
  EXPECT_GT(place.properties.clockRate, 0);
  EXPECT_GT(place.properties.maxThreadsPerMultiProcessor, 0);
  int device = -1;
  EXPECT_OK(cudaChooseDevice(&device, &place.properties));
}

// CUDA 12's structure ends before the reserved words.
TEST(Cuda12, PointerAttributesAreShort) {
  cudaPointerAttributes attributes;
  attributes.reserved[0] = 77;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, &attributes));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(attributes.reserved[0], 77);
}

TEST(Cuda12, HintsNameADevice) {
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_OK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, 0));
  EXPECT_OK(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId, nullptr));
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  EXPECT_OK(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseUnsetPreferredLocation, here));
  EXPECT_OK(cudaMemPrefetchAsync_v2(managed, 4096, here, 0, nullptr));
  EXPECT_OK(cudaFree(managed));
}

TEST(Cuda12, FunctionsThatCuda13Dropped) {
  size_t stack = 0;
  double number = 1;
  EXPECT_OK(cudaThreadSynchronize());
  EXPECT_OK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
  EXPECT_OK(cudaSetDoubleForDevice(&number));
  EXPECT_OK(cudaThreadExit());
}

}  // namespace
