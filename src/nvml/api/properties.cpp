// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device queries: what the profile says of the GPU, and modes, of which each device has one.
#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {
namespace {

const machine::Profile& profile() { return *devices().profile; }

nvmlReturn_t give_clock(nvmlClockType_t type, unsigned int* clock) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
      *clock = profile().clock_khz / 1000;
      return NVML_SUCCESS;
    case NVML_CLOCK_MEM:
      *clock = profile().memory_clock_khz / 1000;
      return NVML_SUCCESS;
    case NVML_CLOCK_VIDEO:
      return NVML_ERROR_NOT_SUPPORTED;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t give_disabled(nvmlEnableState_t* state) {
  *state = NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t, nvmlBrandType_t* type) {
  const std::string_view name = profile().device_name;
  if (name.find("GeForce") != name.npos)
    *type = NVML_BRAND_GEFORCE;
  else if (name.starts_with("Tesla"))
    *type = NVML_BRAND_TESLA;
  else
    *type = name.starts_with("NVIDIA") ? NVML_BRAND_NVIDIA : NVML_BRAND_UNKNOWN;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t, nvmlDeviceArchitecture_t* arch) {
  struct Architecture {
    int from;  ///< the first target
    nvmlDeviceArchitecture_t value;
  };
  constexpr Architecture kArchitectures[] = {
      {100, NVML_DEVICE_ARCH_BLACKWELL}, {90, NVML_DEVICE_ARCH_HOPPER},
      {89, NVML_DEVICE_ARCH_ADA},        {80, NVML_DEVICE_ARCH_AMPERE},
      {75, NVML_DEVICE_ARCH_TURING},     {70, NVML_DEVICE_ARCH_VOLTA},
      {60, NVML_DEVICE_ARCH_PASCAL},     {50, NVML_DEVICE_ARCH_MAXWELL},
      {30, NVML_DEVICE_ARCH_KEPLER},
  };
  *arch = NVML_DEVICE_ARCH_UNKNOWN;
  for (const Architecture& one : kArchitectures) {
    if (profile().target.sm < one.from) continue;
    *arch = one.value;
    break;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int* major, int* minor) {
  *major = profile().target.sm / 10;
  *minor = profile().target.sm % 10;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t, unsigned int* numCores) {
  *numCores = profile().multiprocessors * profile().cores_per_multiprocessor;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t, unsigned int* busWidth) {
  *busWidth = profile().memory_bus_bits;
  return NVML_SUCCESS;
}

// The clocks of the GPU that the profile describes, which are those of cuDeviceGetAttribute.
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t type, unsigned int* clock) {
  return give_clock(type, clock);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t, nvmlClockType_t type, unsigned int* clock) {
  return give_clock(type, clock);
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t, nvmlComputeMode_t* mode) {
  *mode = NVML_COMPUTEMODE_DEFAULT;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t, nvmlEnableState_t* display) {
  return give_disabled(display);
}
nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t, nvmlEnableState_t* isActive) {
  return give_disabled(isActive);
}
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t, nvmlEnableState_t* mode) {
  return give_disabled(mode);
}

// Memory of the host has no ECC of Heddle's, and cuDeviceGetAttribute says so, too.
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  give_disabled(pending);
  return give_disabled(current);
}
nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t, nvmlEnableState_t* defaultMode) {
  return give_disabled(defaultMode);
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t, unsigned int* currentMode,
                                  unsigned int* pendingMode) {
  *currentMode = *pendingMode = NVML_DEVICE_MIG_DISABLE;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t, unsigned int* isMigDevice) {
  *isMigDevice = 0;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t, unsigned int* count) {
  *count = 0;
  return NVML_SUCCESS;
}

}  // namespace heddle::nvml
