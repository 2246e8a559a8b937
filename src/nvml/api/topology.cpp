// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device queries: what lies between devices, and between devices and processors. All devices are
// the host's processors and memory, so the way from one to another is through the host, and none is
// nearer to some processors than to others.
#include <sched.h>

#include <climits>

#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {
namespace {

constexpr nvmlGpuTopologyLevel_t kBetweenDevices = NVML_TOPOLOGY_HOSTBRIDGE;

bool is_level(nvmlGpuTopologyLevel_t level) {
  switch (level) {
    case NVML_TOPOLOGY_INTERNAL:
    case NVML_TOPOLOGY_SINGLE:
    case NVML_TOPOLOGY_MULTIPLE:
    case NVML_TOPOLOGY_HOSTBRIDGE:
    case NVML_TOPOLOGY_NODE:
    case NVML_TOPOLOGY_SYSTEM:
      return true;
  }
  return false;
}

}  // namespace

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device1, nvmlDevice_t device2,
                                                 nvmlGpuTopologyLevel_t* pathInfo) {
  *pathInfo = device1 == device2 ? NVML_TOPOLOGY_INTERNAL : kBetweenDevices;
  return NVML_SUCCESS;
}

// *count is the room of the array, or 0 to ask for the number.
nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level,
                                              unsigned int* count, nvmlDevice_t* deviceArray) {
  if (!is_level(level)) return NVML_ERROR_INVALID_ARGUMENT;
  const u32 found = level == kBetweenDevices ? devices().count - 1 : 0;
  if (!*count) {
    *count = found;
    return NVML_SUCCESS;
  }
  if (!deviceArray) return NVML_ERROR_INVALID_ARGUMENT;
  u32 given = 0;
  for (u32 i = 0; i < devices().count && given < *count && found; ++i) {
    if (i != device->ordinal) deviceArray[given++] = device_at(i);
  }
  *count = given;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t, nvmlDevice_t, nvmlGpuP2PCapsIndex_t p2pIndex,
                                    nvmlGpuP2PStatus_t* p2pStatus) {
  switch (p2pIndex) {
    case NVML_P2P_CAPS_INDEX_READ:
    case NVML_P2P_CAPS_INDEX_WRITE:
    case NVML_P2P_CAPS_INDEX_ATOMICS:
    case NVML_P2P_CAPS_INDEX_PCI:
      *p2pStatus = NVML_P2P_STATUS_OK;
      return NVML_SUCCESS;
    case NVML_P2P_CAPS_INDEX_NVLINK:
      *p2pStatus = NVML_P2P_STATUS_NOT_SUPPORTED;
      return NVML_SUCCESS;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

// Bit i of the words is processor i. The processors are those on which the process may run.
nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t, unsigned int cpuSetSize,
                                      unsigned long* cpuSet) {
  constexpr unsigned kBits = sizeof(unsigned long) * CHAR_BIT;
  if (!cpuSetSize) return NVML_ERROR_INVALID_ARGUMENT;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return NVML_ERROR_OPERATING_SYSTEM;
  for (unsigned word = 0; word < cpuSetSize; ++word) {
    cpuSet[word] = 0;
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const std::size_t cpu = std::size_t{word} * kBits + bit;
      if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)) cpuSet[word] |= 1ul << bit;
    }
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int cpuSetSize,
                                                 unsigned long* cpuSet, nvmlAffinityScope_t scope) {
  if (scope != NVML_AFFINITY_SCOPE_NODE && scope != NVML_AFFINITY_SCOPE_SOCKET)
    return NVML_ERROR_INVALID_ARGUMENT;
  return nvmlDeviceGetCpuAffinity(device, cpuSetSize, cpuSet);
}

}  // namespace heddle::nvml
