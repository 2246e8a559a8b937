// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The differences of libcudart.so.12: old structures, old parameters, functions that CUDA 13 lacks.
// This program is linked with that library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include "runtime/api_12.h"

#define EXPECT_OK(call) EXPECT_EQ((call), cudaSuccess)
#define ASSERT_OK(call) ASSERT_EQ((call), cudaSuccess)

namespace {

// Set before the driver reads it.
[[maybe_unused]] const int kTwoDevices = setenv("HEDDLE_DEVICES", "2", 1);

TEST(Cuda12, Version) {
  int version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, 12090);
}

TEST(Cuda12, TexturesHaveTheOldShape) {
  struct {
    cudaResourceDesc12 resource{};
    int behind_resource = 1234;
    cudaResourceViewDesc12 view{};
    int behind_view = 1234;
  } place;
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  const cudaTextureDesc sampling{};
  cudaResourceDesc12 resource{};
  cudaResourceViewDesc12 view{};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = 4;
  cudaTextureObject_t texture = 0;
  ASSERT_OK(cudaMallocArray(&resource.res.array.array, &format, 4, 4, 0));
  ASSERT_OK(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  EXPECT_OK(cudaGetTextureObjectResourceDesc(&place.resource, texture));
  EXPECT_OK(cudaGetTextureObjectResourceViewDesc(&place.view, texture));
  EXPECT_EQ(place.resource.res.array.array, resource.res.array.array);
  EXPECT_EQ(place.view.width, 4u);
  EXPECT_EQ(place.behind_resource, 1234);
  EXPECT_EQ(place.behind_view, 1234);
  EXPECT_OK(cudaDestroyTextureObject(texture));
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

constexpr const char* kCount = R"ptx(
.version 6.0
.target sm_60
.address_size 64
.visible .entry count(.param .u64 p)
{
  .reg .b32 %r;
  .reg .b64 %rd;
  ld.param.u64 %rd, [p];
  atom.global.add.u32 %r, [%rd], 1;
  ret;
}
)ptx";

TEST(Cuda12, CooperativeLaunchOnTwoDevices) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  ASSERT_OK(cudaLibraryLoadData(&library, kCount, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_OK(cudaLibraryGetKernel(&kernel, library, "count"));
  void* counter = nullptr;
  ASSERT_EQ(cudaMallocManaged(&counter, 4, cudaMemAttachGlobal), cudaSuccess);
  void* arguments[] = {&counter};
  cudaLaunchParams launches[2] = {};
  for (int device : {0, 1}) {
    auto& launch = launches[device];
    ASSERT_OK(cudaSetDevice(device));
    ASSERT_OK(cudaStreamCreate(&launch.stream));
    launch.func = reinterpret_cast<void*>(kernel);
    launch.gridDim = {2, 1, 1};
    launch.blockDim = {4, 1, 1};
    launch.args = arguments;
  }
  EXPECT_OK(cudaLaunchCooperativeKernelMultiDevice(launches, 2, 0));
  for (const auto& launch : launches) EXPECT_OK(cudaStreamSynchronize(launch.stream));
  EXPECT_EQ(*static_cast<unsigned*>(counter), 16u);

  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(nullptr, 2, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(launches, 0, 0), cudaErrorInvalidValue);
  const auto stream = std::exchange(launches[1].stream, launches[0].stream);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(launches, 2, 0), cudaErrorInvalidValue);
  launches[1].func = counter;
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(launches, 2, 0), cudaErrorInvalidDeviceFunction);
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(launches[0].stream));
  EXPECT_OK(cudaFree(counter));
  EXPECT_OK(cudaLibraryUnload(library));
}

}  // namespace
