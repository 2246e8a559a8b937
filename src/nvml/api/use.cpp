// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device queries: the memory and the processes that use it, as the drivers of this user's processes
// show them (machine/device_use.h).
#include <algorithm>

#include "machine/device_use.h"
#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {
namespace {

std::vector<machine::DeviceUse> uses_of(nvmlDevice_t device) {
  return machine::uses_of_device(*devices().profile, device->ordinal);
}

/// Each process may allocate as much as the device has, so the sum can be larger.
u64 bytes_in_use(nvmlDevice_t device) {
  u64 bytes = 0;
  for (const auto& use : uses_of(device)) bytes += use.bytes;
  return std::min(bytes, devices().memory_bytes);
}

constexpr unsigned kNoInstance = 0xffffffff;  // the device is not split (MIG)

void fill(const machine::DeviceUse& use, nvmlProcessInfo_v1_t& info) {
  info = {use.pid, use.bytes};
}
void fill(const machine::DeviceUse& use, nvmlProcessInfo_v2_t& info) {
  info = {use.pid, use.bytes, kNoInstance, kNoInstance};
}

/// The documented protocol: *count is the room, then the number. With too little room,
/// NVML_ERROR_INSUFFICIENT_SIZE and the number.
template <class Info>
nvmlReturn_t give_processes(const std::vector<machine::DeviceUse>& uses, unsigned int* count,
                            Info* infos) {
  const unsigned room = *count;
  *count = static_cast<unsigned>(uses.size());
  if (room < uses.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (!infos) return room ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
  for (std::size_t i = 0; i < uses.size(); ++i) fill(uses[i], infos[i]);
  return NVML_SUCCESS;
}

nvmlReturn_t give_no_processes(unsigned int* count) {
  *count = 0;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  const u64 total = devices().memory_bytes, used = bytes_in_use(device);
  *memory = {.total = total, .free = total - used, .used = used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  const u64 total = devices().memory_bytes, used = bytes_in_use(device);
  memory->total = total;
  memory->reserved = 0;
  memory->free = total - used;
  memory->used = used;
  return NVML_SUCCESS;
}

// The host reaches all of a device's memory.
nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t* bar1Memory) {
  const u64 total = devices().memory_bytes, used = bytes_in_use(device);
  *bar1Memory = {.bar1Total = total, .bar1Free = total - used, .bar1Used = used};
  return NVML_SUCCESS;
}

// The sample is of this instant. A grid that runs uses its memory.
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  const auto uses = uses_of(device);
  const bool busy =
      std::any_of(uses.begin(), uses.end(), [](const auto& use) { return use.kernels != 0; });
  const unsigned percent = busy ? 100 : 0;
  *utilization = {.gpu = percent, .memory = percent};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* infoCount,
                                                  nvmlProcessInfo_v1_t* infos) {
  return give_processes(uses_of(device), infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int* infoCount,
                                                     nvmlProcessInfo_v2_t* infos) {
  return give_processes(uses_of(device), infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* infoCount,
                                                     nvmlProcessInfo_t* infos) {
  return give_processes(uses_of(device), infoCount, infos);
}

// Nothing draws, and there is no MPS server.
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t, unsigned int* infoCount,
                                                   nvmlProcessInfo_v1_t*) {
  return give_no_processes(infoCount);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t, unsigned int* infoCount,
                                                      nvmlProcessInfo_v2_t*) {
  return give_no_processes(infoCount);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t, unsigned int* infoCount,
                                                      nvmlProcessInfo_t*) {
  return give_no_processes(infoCount);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses(nvmlDevice_t, unsigned int* infoCount,
                                                     nvmlProcessInfo_v1_t*) {
  return give_no_processes(infoCount);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t, unsigned int* infoCount,
                                                        nvmlProcessInfo_v2_t*) {
  return give_no_processes(infoCount);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t, unsigned int* infoCount,
                                                        nvmlProcessInfo_t*) {
  return give_no_processes(infoCount);
}

}  // namespace heddle::nvml
