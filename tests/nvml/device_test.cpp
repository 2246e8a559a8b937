// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library says of two devices, and that the driver says the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "driver/api.h"
#include "nvml/api.h"

namespace {

// Before the first call, which reads the environment.
const int kEnvironment = setenv("HEDDLE_DEVICE", "h200", 1) + setenv("HEDDLE_DEVICES", "2", 1) +
                         setenv("CUDA_VISIBLE_DEVICES", "1", 1);

class Devices : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(kEnvironment, 0);
    ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
    for (unsigned i = 0; i < 2; ++i)
      ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(i, &device[i]), NVML_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }

  std::string uuid_of(nvmlDevice_t one) {
    char text[96];
    EXPECT_EQ(nvmlDeviceGetUUID(one, text, sizeof text), NVML_SUCCESS);
    return text;
  }

  nvmlDevice_t device[2] = {};
};

TEST(Library, CountsItsInitializations) {
  unsigned count = 0;
  EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlInit(), NVML_SUCCESS);
  EXPECT_EQ(nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH), NVML_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 2u) << "CUDA_VISIBLE_DEVICES hides none";
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
}

TEST(Library, SaysItsVersionsAndErrors) {
  char text[80];
  int version = 0, of_driver = 0;
  EXPECT_EQ(nvmlSystemGetNVMLVersion(text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "13.580.00.00");
  EXPECT_EQ(nvmlSystemGetNVMLVersion(text, 5), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), NVML_SUCCESS);
  EXPECT_EQ(cuDriverGetVersion(&of_driver), CUDA_SUCCESS);
  EXPECT_EQ(version, of_driver);
  for (const auto& [result, meaning] : {std::pair{NVML_SUCCESS, "Success"},
                                        {NVML_ERROR_NOT_SUPPORTED, "Not supported by this device"},
                                        {NVML_ERROR_UNKNOWN, "Unknown error"},
                                        {static_cast<nvmlReturn_t>(700), "Unknown error"}})
    EXPECT_STREQ(nvmlErrorString(result), meaning);
}

TEST_F(Devices, AreThoseOfTheDriver) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    SCOPED_TRACE(i);
    char ours[96], theirs[96];
    EXPECT_EQ(nvmlDeviceGetName(device[i], ours, sizeof ours), NVML_SUCCESS);
    EXPECT_EQ(cuDeviceGetName(theirs, sizeof theirs, i), CUDA_SUCCESS);
    EXPECT_STREQ(ours, theirs);

    nvmlPciInfo_t pci;
    EXPECT_EQ(nvmlDeviceGetPciInfo_v3(device[i], &pci), NVML_SUCCESS);
    EXPECT_EQ(cuDeviceGetPCIBusId(theirs, sizeof theirs, i), CUDA_SUCCESS);
    EXPECT_STREQ(pci.busIdLegacy, theirs);
    EXPECT_EQ(std::string("0000") + theirs, pci.busId);

    CUuuid uuid;
    EXPECT_EQ(cuDeviceGetUuid_v2(&uuid, i), CUDA_SUCCESS);
    nvmlUUID_t binary = {.version = nvmlUUID_v1, .type = NVML_UUID_TYPE_BINARY, .value = {}};
    std::memcpy(binary.value.bytes, uuid.bytes, sizeof uuid.bytes);
    nvmlDevice_t found = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByUUIDV(&binary, &found), NVML_SUCCESS);
    EXPECT_EQ(found, device[i]);

    size_t bytes = 0;
    nvmlMemory_t memory;
    EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, i), CUDA_SUCCESS);
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(device[i], &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.total, bytes);

    struct Number {
      nvmlReturn_t (*function)(nvmlDevice_t, unsigned*);
      CUdevice_attribute attribute;
    };
    for (const Number& number :
         {Number{nvmlDeviceGetMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
          {nvmlDeviceGetBoardId, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID},
          {nvmlDeviceGetMultiGpuBoard, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD}}) {
      unsigned value = 99;
      int attribute = 0;
      EXPECT_EQ(number.function(device[i], &value), NVML_SUCCESS);
      EXPECT_EQ(cuDeviceGetAttribute(&attribute, number.attribute, i), CUDA_SUCCESS);
      EXPECT_EQ(value, static_cast<unsigned>(attribute));
    }
  }
}

TEST_F(Devices, HaveNumbers) {
  struct Case {
    const char* name;
    nvmlReturn_t (*function)(nvmlDevice_t, unsigned*);
    unsigned values[2];
  };
  const Case cases[] = {
      {"index", nvmlDeviceGetIndex, {0, 1}},
      {"minor number", nvmlDeviceGetMinorNumber, {0, 1}},
      {"board", nvmlDeviceGetBoardId, {0, 1}},
      {"cores", nvmlDeviceGetNumGpuCores, {132 * 128, 132 * 128}},
      {"link generation", nvmlDeviceGetCurrPcieLinkGeneration, {5, 5}},
      {"largest link generation", nvmlDeviceGetMaxPcieLinkGeneration, {5, 5}},
      {"link speed", nvmlDeviceGetPcieSpeed, {32000, 32000}},
      {"largest link speed", nvmlDeviceGetPcieLinkMaxSpeed, {5, 5}},
      {"link width", nvmlDeviceGetCurrPcieLinkWidth, {16, 16}},
      {"architecture",
       nvmlDeviceGetArchitecture,
       {NVML_DEVICE_ARCH_HOPPER, NVML_DEVICE_ARCH_HOPPER}},
      {"MIG devices", nvmlDeviceGetMaxMigDeviceCount, {0, 0}},
      {"is a MIG device", nvmlDeviceIsMigDeviceHandle, {0, 0}},
  };
  for (const Case& c : cases) {
    for (int i = 0; i < 2; ++i) {
      unsigned value = 99;
      EXPECT_EQ(c.function(device[i], &value), NVML_SUCCESS) << c.name;
      EXPECT_EQ(value, c.values[i]) << c.name;
    }
  }
  struct Clock {
    nvmlClockType_t type;
    nvmlReturn_t result;
    unsigned mhz;
  };
  for (const Clock& c : {Clock{NVML_CLOCK_GRAPHICS, NVML_SUCCESS, 1980},
                         {NVML_CLOCK_SM, NVML_SUCCESS, 1980},
                         {NVML_CLOCK_MEM, NVML_SUCCESS, 3201},
                         {NVML_CLOCK_VIDEO, NVML_ERROR_NOT_SUPPORTED, 0},
                         {NVML_CLOCK_COUNT, NVML_ERROR_INVALID_ARGUMENT, 0}}) {
    unsigned mhz = 0;
    EXPECT_EQ(nvmlDeviceGetClockInfo(device[0], c.type, &mhz), c.result);
    EXPECT_EQ(mhz, c.mhz);
  }
}

TEST_F(Devices, HaveModes) {
  nvmlBrandType_t brand;
  EXPECT_EQ(nvmlDeviceGetBrand(device[0], &brand), NVML_SUCCESS);
  EXPECT_EQ(brand, NVML_BRAND_NVIDIA);
  nvmlComputeMode_t mode;
  EXPECT_EQ(nvmlDeviceGetComputeMode(device[0], &mode), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_COMPUTEMODE_DEFAULT);
  int major = 0, minor = 99;
  EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device[0], &major, &minor), NVML_SUCCESS);
  EXPECT_EQ(major * 10 + minor, 90);
  unsigned now = 99, next = 99;
  EXPECT_EQ(nvmlDeviceGetMigMode(device[0], &now, &next), NVML_SUCCESS);
  EXPECT_EQ(now + next, 0u);
  nvmlEnableState_t state = NVML_FEATURE_ENABLED, other = NVML_FEATURE_ENABLED;
  EXPECT_EQ(nvmlDeviceGetEccMode(device[0], &state, &other), NVML_SUCCESS);
  EXPECT_EQ(state + other, 0);
}

TEST_F(Devices, LackHardware) {
  unsigned value = 0;
  EXPECT_EQ(nvmlDeviceGetTemperature(device[0], NVML_TEMPERATURE_GPU, &value),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetPowerUsage(device[0], &value), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetFanSpeed(device[0], &value), NVML_ERROR_NOT_SUPPORTED);
  char text[32];
  EXPECT_EQ(nvmlDeviceGetSerial(device[0], text, sizeof text), NVML_ERROR_NOT_SUPPORTED);
  nvmlEnableState_t active;
  EXPECT_EQ(nvmlDeviceGetNvLinkState(device[0], 0, &active), NVML_ERROR_NOT_SUPPORTED);
  nvmlFieldValue_t fields[2] = {};
  EXPECT_EQ(nvmlDeviceGetFieldValues(device[0], 2, fields), NVML_SUCCESS);
  EXPECT_EQ(fields[1].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetFieldValues(device[0], 0, fields), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Devices, AreFoundByTheirNames) {
  using Find = nvmlReturn_t (*)(const char*, nvmlDevice_t*);
  struct Case {
    Find find;
    std::string name;
    nvmlReturn_t result;
    int device = 0;
  };
  const Case cases[] = {
      {nvmlDeviceGetHandleByPciBusId_v2, "0000:02:00.0", NVML_SUCCESS, 1},
      {nvmlDeviceGetHandleByPciBusId, "00000000:01:00.0", NVML_SUCCESS, 0},
      {nvmlDeviceGetHandleByPciBusId_v2, "2:0", NVML_SUCCESS, 1},
      {nvmlDeviceGetHandleByPciBusId_v2, "0000:03:00.0", NVML_ERROR_NOT_FOUND},
      {nvmlDeviceGetHandleByPciBusId_v2, "0001:01:00.0", NVML_ERROR_NOT_FOUND},
      {nvmlDeviceGetHandleByPciBusId_v2, "bus", NVML_ERROR_INVALID_ARGUMENT},
      {nvmlDeviceGetHandleByPciBusId_v2, "", NVML_ERROR_INVALID_ARGUMENT},
      {nvmlDeviceGetHandleByUUID, uuid_of(device[1]), NVML_SUCCESS, 1},
      {nvmlDeviceGetHandleByUUID, uuid_of(device[1]) + "0", NVML_ERROR_NOT_FOUND},
      {nvmlDeviceGetHandleByUUID, "", NVML_ERROR_NOT_FOUND},
      {nvmlDeviceGetHandleBySerial, "0", NVML_ERROR_NOT_FOUND},
  };
  for (const Case& c : cases) {
    nvmlDevice_t found = nullptr;
    EXPECT_EQ(c.find(c.name.c_str(), &found), c.result) << c.name;
    EXPECT_EQ(found, c.result == NVML_SUCCESS ? device[c.device] : nullptr) << c.name;
  }
  EXPECT_EQ(uuid_of(device[1]), "GPU-68656464-6c65-6832-3030-000000005a01");
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(2, &found), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Devices, CheckTheVersionsOfStructures) {
  nvmlMemory_v2_t memory = {};
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device[0], &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  memory.version = nvmlMemory_v2;
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device[0], &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, memory.free + memory.used + memory.reserved);
  nvmlPciInfoExt_t pci = {};
  EXPECT_EQ(nvmlDeviceGetPciInfoExt(device[1], &pci), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  pci.version = nvmlPciInfoExt_v1;
  EXPECT_EQ(nvmlDeviceGetPciInfoExt(device[1], &pci), NVML_SUCCESS);
  EXPECT_EQ(pci.bus, 2u);
  nvmlUUID_t uuid = {};
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByUUIDV(&uuid, &found), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  uuid.version = nvmlUUID_v1;
  EXPECT_EQ(nvmlDeviceGetHandleByUUIDV(&uuid, &found), NVML_ERROR_INVALID_ARGUMENT);
  uuid.type = NVML_UUID_TYPE_ASCII;
  std::strcpy(uuid.value.str, uuid_of(device[1]).c_str());
  EXPECT_EQ(nvmlDeviceGetHandleByUUIDV(&uuid, &found), NVML_SUCCESS);
  EXPECT_EQ(found, device[1]);
}

// Programs that were built for the first versions have smaller structures.
TEST_F(Devices, EarlierVersionsWriteLess) {
  for (const auto& [function, size] :
       {std::pair{&nvmlDeviceGetPciInfo, offsetof(nvmlPciInfo_t, pciSubSystemId)},
        {&nvmlDeviceGetPciInfo_v2, offsetof(nvmlPciInfo_t, busId)}}) {
    nvmlPciInfo_t pci;
    std::memset(&pci, 0x5a, sizeof pci);
    EXPECT_EQ(function(device[1], &pci), NVML_SUCCESS);
    EXPECT_STREQ(pci.busIdLegacy, "0000:02:00.0");
    for (std::size_t i = size; i < sizeof pci; ++i)
      EXPECT_EQ(reinterpret_cast<const char*>(&pci)[i], 0x5a) << i;
  }
}

TEST_F(Devices, AreConnectedThroughTheHost) {
  nvmlGpuTopologyLevel_t level;
  EXPECT_EQ(nvmlDeviceGetTopologyCommonAncestor(device[0], device[1], &level), NVML_SUCCESS);
  EXPECT_EQ(level, NVML_TOPOLOGY_HOSTBRIDGE);
  unsigned count = 0;
  nvmlDevice_t near[4] = {};
  EXPECT_EQ(nvmlDeviceGetTopologyNearestGpus(device[1], level, &count, nullptr), NVML_SUCCESS);
  EXPECT_EQ(count, 1u);
  count = 4;
  EXPECT_EQ(nvmlDeviceGetTopologyNearestGpus(device[1], level, &count, near), NVML_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(near[0], device[0]);
  for (const auto& [index, status] :
       {std::pair{NVML_P2P_CAPS_INDEX_READ, NVML_P2P_STATUS_OK},
        {NVML_P2P_CAPS_INDEX_ATOMICS, NVML_P2P_STATUS_OK},
        {NVML_P2P_CAPS_INDEX_NVLINK, NVML_P2P_STATUS_NOT_SUPPORTED}}) {
    nvmlGpuP2PStatus_t found;
    EXPECT_EQ(nvmlDeviceGetP2PStatus(device[0], device[1], index, &found), NVML_SUCCESS);
    EXPECT_EQ(found, status);
  }
  int same = 1;
  EXPECT_EQ(nvmlDeviceOnSameBoard(device[0], device[1], &same), NVML_SUCCESS);
  EXPECT_EQ(same, 0);
  unsigned long cpus[16];
  EXPECT_EQ(nvmlDeviceGetCpuAffinity(device[0], 16, cpus), NVML_SUCCESS);
  EXPECT_THAT(cpus, testing::Contains(testing::Ne(0ul)));
}

TEST_F(Devices, HaveNoEvents) {
  nvmlEventSet_t set = nullptr;
  nvmlEventData_t data;
  unsigned long long types = 1;
  EXPECT_EQ(nvmlEventSetCreate(&set), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetSupportedEventTypes(device[0], &types), NVML_SUCCESS);
  EXPECT_EQ(types, 0u);
  EXPECT_EQ(nvmlDeviceRegisterEvents(device[0], 1, set), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlEventSetWait_v2(set, &data, 1), NVML_ERROR_TIMEOUT);
  EXPECT_EQ(nvmlEventSetFree(set), NVML_SUCCESS);
  EXPECT_EQ(nvmlEventSetFree(set), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlEventSetWait_v2(set, &data, 1), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
