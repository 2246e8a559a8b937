// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and their attributes. Driver API 6.5. HEDDLE_DEVICE is not set here: the default profile.
#include <cstring>

#include "client.h"

namespace {

class Devices : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(cuInit(0)); }
};

TEST_F(Devices, OneByDefault) {
  int count = 0;
  CUdevice device = -1;
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_OK(cuDeviceGet(&device, 0));
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Devices, NameIsCutToTheBuffer) {
  char name[64];
  EXPECT_OK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_GT(std::strlen(name), 3u);
  char little[4];
  EXPECT_OK(cuDeviceGetName(little, sizeof little, 0));
  EXPECT_EQ(std::string(little), std::string(name).substr(0, 3));
  EXPECT_EQ(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetName(name, sizeof name, 7), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Devices, ComputeCapabilityThreeWays) {
  int major = 0, minor = 0, attribute = 0;
  EXPECT_OK(cuDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(major, 12);
  EXPECT_EQ(minor, 0);
  EXPECT_OK(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  EXPECT_EQ(attribute, major);
  EXPECT_OK(cuDeviceGetAttribute(&attribute, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  EXPECT_EQ(attribute, minor);
}

TEST_F(Devices, EveryAttributeHasAValue) {
  for (int i = 1; i < CU_DEVICE_ATTRIBUTE_MAX; ++i) {
    int value = -1;
    EXPECT_OK(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(i), 0)) << i;
  }
}

TEST_F(Devices, Attributes) {
  const struct {
    CUdevice_attribute attribute;
    int at_least, at_most;
  } kCases[] = {
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1, 1000},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT, CU_COMPUTEMODE_DEFAULT},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 48 * 1024, 256 * 1024},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1, 1},
  };
  for (const auto& c : kCases) {
    int value = -1;
    EXPECT_OK(cuDeviceGetAttribute(&value, c.attribute, 0));
    EXPECT_THAT(value, testing::AllOf(testing::Ge(c.at_least), testing::Le(c.at_most)))
        << c.attribute;
  }
}

TEST_F(Devices, BadAttribute) {
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 9),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Devices, MemoryAndIdentity) {
  size_t bytes = 0;
  EXPECT_OK(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_GT(bytes, size_t{64} << 20);
  CUuuid a{}, b{};
  EXPECT_OK(cuDeviceGetUuid(&a, 0));
  EXPECT_OK(cuDeviceGetUuid_v2(&b, 0));
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  EXPECT_NE(std::memcmp(&a, CUuuid{}.bytes, sizeof a), 0);
}

TEST_F(Devices, PciAddressThereAndBack) {
  char address[32];
  CUdevice device = -1;
  EXPECT_OK(cuDeviceGetPCIBusId(address, sizeof address, 0));
  EXPECT_OK(cuDeviceGetByPCIBusId(&device, address));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cuDeviceGetByPCIBusId(&device, address + 5)) << "without the domain";
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "0000:77:00.0"), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "no address"), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Devices, NoPeerOfItself) {
  int can = 1;
  EXPECT_OK(cuDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_ERROR_INVALID_DEVICE);
}

}  // namespace
