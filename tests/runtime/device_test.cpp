// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several devices, their properties, flags and limits. Runtime API 6.1, 6.14.
#include <cstdlib>
#include <thread>

#include "../driver/kernels.h"
#include "driver/api.h"
#include "program.h"

namespace {

class TwoDevices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_DEVICE", "H200", 1);
    setenv("HEDDLE_DEVICES", "2", 1);
  }
  void SetUp() override { ASSERT_OK(cudaSetDevice(0)); }
};

// Runs first, because the other tests create contexts.
TEST(Start, AskingMakesNoContext) {
  setenv("HEDDLE_DEVICE", "H200", 1);
  setenv("HEDDLE_DEVICES", "2", 1);
  int count = 0, device = -1, value = 0, active = -1;
  unsigned flags = 0;
  cudaDeviceProp properties;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 2);
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cudaGetDeviceProperties(&properties, 1));
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1));
  EXPECT_EQ(value, 32);
  EXPECT_OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_OK(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned{cudaDeviceScheduleBlockingSync} | cudaDeviceMapHost);
}

TEST_F(TwoDevices, Properties) {
  cudaDeviceProp properties;
  ASSERT_OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT_THAT(properties.name, testing::HasSubstr("H200"));
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.minor, 0);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_THAT(properties.maxThreadsDim, testing::ElementsAre(1024, 1024, 64));
  EXPECT_GT(properties.totalGlobalMem, 0u);
  EXPECT_EQ(properties.clusterLaunch, 1);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaErrorInvalidDevice);
  int device = -1;
  EXPECT_OK(cudaChooseDevice(&device, &properties));
  EXPECT_EQ(device, 0);
}

TEST_F(TwoDevices, EachThreadChoosesItsOwn) {
  ASSERT_OK(cudaSetDevice(1));
  std::thread([] {
    int device = -1;
    EXPECT_OK(cudaGetDevice(&device));
    EXPECT_EQ(device, 0);
  }).join();
  int device = -1;
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
}

TEST_F(TwoDevices, VariablesLiveOnEach) {
  Program program(kKernels);
  const void* count = program.kernel("count");
  const void* counter = program.variable("counter", 4);
  const auto value = [&] {
    int found = -1;
    EXPECT_OK(cudaMemcpyFromSymbol(&found, counter, 4, 0, cudaMemcpyDeviceToHost));
    return found;
  };
  EXPECT_OK(cudaLaunchKernel(count, {1, 1, 1}, {10, 1, 1}, nullptr, 0, nullptr));
  EXPECT_EQ(value(), 15);
  ASSERT_OK(cudaSetDevice(1));
  EXPECT_EQ(value(), 5);
  EXPECT_OK(cudaLaunchKernel(count, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
  EXPECT_EQ(value(), 6);
  EXPECT_OK(cudaDeviceReset());
  EXPECT_EQ(value(), 5) << "a reset device starts anew";
  ASSERT_OK(cudaSetDevice(0));
  EXPECT_EQ(value(), 15);
}

TEST_F(TwoDevices, Peers) {
  int possible = 0;
  EXPECT_OK(cudaDeviceCanAccessPeer(&possible, 0, 1));
  EXPECT_EQ(possible, 1);
  EXPECT_OK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  void* here = device_ints({1, 2});
  ASSERT_OK(cudaSetDevice(1));
  void* there = device_ints({3, 4});
  EXPECT_OK(cudaMemcpyPeer(there, 1, here, 0, 4));
  EXPECT_THAT(host_ints(there, 2), testing::ElementsAre(1, 4));
  cudaPointerAttributes attributes;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, there));
  EXPECT_EQ(attributes.device, 1);
  ASSERT_OK(cudaSetDevice(0));
  EXPECT_OK(cudaDeviceDisablePeerAccess(1));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_OK(cudaFree(here));
  EXPECT_OK(cudaFree(there));
}

TEST_F(TwoDevices, LimitsAndCaches) {
  size_t heap = 0;
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
  EXPECT_OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT_EQ(heap, size_t{1} << 24);
  cudaFuncCache cache = cudaFuncCachePreferNone;
  EXPECT_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  EXPECT_OK(cudaDeviceGetCacheConfig(&cache));
  int least = -1, greatest = 1;
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_GE(least, greatest);
  char bus[32] = "";
  int device = -1;
  EXPECT_OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
  EXPECT_OK(cudaDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(device, 1);
}

// The runtime uses the context that the program made current with the driver API.
TEST_F(TwoDevices, ContextOfTheDriverApi) {
  CUcontext own = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&own, 0, 1), CUDA_SUCCESS);
  int device = -1;
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 1);
  void* memory = device_ints({1});
  CUcontext owner = nullptr;
  EXPECT_EQ(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT,
                                  reinterpret_cast<CUdeviceptr>(memory)),
            CUDA_SUCCESS);
  EXPECT_EQ(owner, own);
  EXPECT_EQ(cuCtxDestroy_v2(own), CUDA_SUCCESS);
}

TEST_F(TwoDevices, Versions) {
  int runtime = 0, driver = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&runtime));
  EXPECT_OK(cudaDriverGetVersion(&driver));
  EXPECT_EQ(runtime, 13000);
  EXPECT_GE(driver, runtime);
}

TEST_F(TwoDevices, EntryPointsOfTheDriver) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status;
  EXPECT_OK(cudaGetDriverEntryPoint("cuMemAlloc", &found, cudaEnableDefault, &status));
  EXPECT_EQ(status, cudaDriverEntryPointSuccess);
  EXPECT_EQ(found, reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_OK(cudaGetDriverEntryPoint_ptsz("cuMemcpy", &found, cudaEnableDefault, &status));
  EXPECT_EQ(found, reinterpret_cast<void*>(&cuMemcpy_ptds));
  EXPECT_OK(
      cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 2000, cudaEnableDefault, &status));
  EXPECT_EQ(found, reinterpret_cast<void*>(&cuMemAlloc));
  EXPECT_OK(cudaGetDriverEntryPoint("cuNothing", &found, cudaEnableDefault, &status));
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
}

}  // namespace
