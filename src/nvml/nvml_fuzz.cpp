// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The management library takes any handle, text, number and structure: the first byte chooses a
// function, and the others are its arguments. A call must not crash, and what it succeeds in
// finding is a device.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "base/check.h"
#include "nvml/api.h"

namespace {

/// Takes arguments from the input; zeros follow its end.
class Input {
 public:
  Input(const unsigned char* data, std::size_t size) : data_(data), size_(size) {}
  template <class T>
  T take() {
    T value{};
    const std::size_t bytes = std::min(sizeof value, size_);
    std::memcpy(static_cast<void*>(&value), data_, bytes);
    data_ += bytes;
    size_ -= bytes;
    return value;
  }
  std::string rest() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const unsigned char* data_;
  std::size_t size_;
};

/// A device or, for most inputs, an address that is no device's.
nvmlDevice_t take_device(Input& input) {
  nvmlDevice_t device = nullptr;
  const auto index = input.take<unsigned char>();
  if (nvmlDeviceGetHandleByIndex_v2(index, &device) == NVML_SUCCESS) return device;
  return reinterpret_cast<nvmlDevice_t>(input.take<std::size_t>());
}

void expect_device(nvmlReturn_t result, nvmlDevice_t device) {
  unsigned index = 0;
  if (result == NVML_SUCCESS)
    HEDDLE_CHECK(nvmlDeviceGetIndex(device, &index) == NVML_SUCCESS && index < 2);
}

using Function = void (*)(Input& input);
const Function kFunctions[] = {
    [](Input& input) {
      nvmlDevice_t found = nullptr;
      expect_device(nvmlDeviceGetHandleByUUID(input.rest().c_str(), &found), found);
    },
    [](Input& input) {
      nvmlDevice_t found = nullptr;
      expect_device(nvmlDeviceGetHandleByPciBusId_v2(input.rest().c_str(), &found), found);
    },
    [](Input& input) {
      nvmlDevice_t found = nullptr;
      auto uuid = input.take<nvmlUUID_t>();
      expect_device(nvmlDeviceGetHandleByUUIDV(&uuid, &found), found);
    },
    [](Input& input) {
      const nvmlDevice_t device = take_device(input);
      std::vector<char> text(input.take<unsigned char>());
      const auto length = static_cast<unsigned>(text.size());
      if (nvmlDeviceGetUUID(device, text.data(), length) == NVML_SUCCESS)
        HEDDLE_CHECK(std::strlen(text.data()) == 40);
      nvmlDeviceGetName(device, text.data(), length);
      nvmlSystemGetProcessName(input.take<unsigned>(), text.data(), length);
    },
    [](Input& input) {
      const nvmlDevice_t device = take_device(input);
      std::vector<nvmlProcessInfo_t> infos(input.take<unsigned char>());
      auto count = static_cast<unsigned>(infos.size());
      nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos.data());
    },
    [](Input& input) {
      const nvmlDevice_t device = take_device(input);
      auto memory = input.take<nvmlMemory_v2_t>();
      if (nvmlDeviceGetMemoryInfo_v2(device, &memory) == NVML_SUCCESS)
        HEDDLE_CHECK(memory.used + memory.free == memory.total);
    },
    [](Input& input) {
      const nvmlDevice_t device = take_device(input);
      unsigned value = 0;
      nvmlDeviceGetClockInfo(device, static_cast<nvmlClockType_t>(input.take<int>()), &value);
      std::vector<unsigned long> cpus(input.take<unsigned char>());
      nvmlDeviceGetCpuAffinityWithinScope(device, static_cast<unsigned>(cpus.size()), cpus.data(),
                                          input.take<unsigned>());
    },
    [](Input& input) {
      const nvmlDevice_t device = take_device(input), other = take_device(input);
      nvmlGpuP2PStatus_t status;
      nvmlDeviceGetP2PStatus(device, other, static_cast<nvmlGpuP2PCapsIndex_t>(input.take<int>()),
                             &status);
      std::vector<nvmlDevice_t> near(input.take<unsigned char>());
      auto count = static_cast<unsigned>(near.size());
      nvmlDeviceGetTopologyNearestGpus(
          device, static_cast<nvmlGpuTopologyLevel_t>(input.take<int>()), &count, near.data());
    },
    [](Input& input) {
      const auto set = reinterpret_cast<nvmlEventSet_t>(input.take<std::size_t>());
      nvmlDeviceRegisterEvents(take_device(input), input.take<unsigned long long>(), set);
      nvmlEventSetFree(set);
    },
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const nvmlReturn_t initialized = [] {
    setenv("HEDDLE_DEVICES", "2", 1);
    return nvmlInit_v2();
  }();
  HEDDLE_CHECK(initialized == NVML_SUCCESS);
  Input input(data, size);
  kFunctions[input.take<unsigned char>() % std::size(kFunctions)](input);
  return 0;
}
