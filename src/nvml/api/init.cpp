// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialization and cleanup; error reporting.
#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {

nvmlReturn_t nvmlInit() { return initialize(false); }
nvmlReturn_t nvmlInit_v2() { return initialize(false); }

nvmlReturn_t nvmlInitWithFlags(unsigned int flags) {
  return initialize(flags & NVML_INIT_FLAG_NO_GPUS);
}

nvmlReturn_t nvmlShutdown() { return shut_down(); }

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "The library is not initialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not supported by this device";
    case NVML_ERROR_NO_PERMISSION:
      return "The user has no permission for this operation";
    case NVML_ERROR_ALREADY_INITIALIZED:
      return "The library is initialized already";
    case NVML_ERROR_NOT_FOUND:
      return "Not found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "The buffer is too small";
    case NVML_ERROR_INSUFFICIENT_POWER:
      return "The device's external power cables are not attached";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "There is no driver";
    case NVML_ERROR_TIMEOUT:
      return "The time is over";
    case NVML_ERROR_IRQ_ISSUE:
      return "The device has a problem with interrupts";
    case NVML_ERROR_LIBRARY_NOT_FOUND:
      return "The library is not found";
    case NVML_ERROR_FUNCTION_NOT_FOUND:
      return "The library does not have this function";
    case NVML_ERROR_CORRUPTED_INFOROM:
      return "The device's infoROM is corrupted";
    case NVML_ERROR_GPU_IS_LOST:
      return "The device has fallen off the bus";
    case NVML_ERROR_RESET_REQUIRED:
      return "The device requires a reset";
    case NVML_ERROR_OPERATING_SYSTEM:
      return "The operating system has blocked the device";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
      return "The library and the driver have different versions";
    case NVML_ERROR_IN_USE:
      return "In use";
    case NVML_ERROR_MEMORY:
      return "Out of memory";
    case NVML_ERROR_NO_DATA:
      return "No data";
    case NVML_ERROR_VGPU_ECC_NOT_SUPPORTED:
      return "Not available on a vGPU while ECC is enabled";
    case NVML_ERROR_INSUFFICIENT_RESOURCES:
      return "Out of resources other than memory";
    case NVML_ERROR_FREQ_NOT_SUPPORTED:
      return "The frequency is not supported";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return "The version of the structure is not supported";
    case NVML_ERROR_DEPRECATED:
      return "The function is deprecated";
    case NVML_ERROR_NOT_READY:
      return "Not ready";
    case NVML_ERROR_GPU_NOT_FOUND:
      return "There is no device";
    case NVML_ERROR_INVALID_STATE:
      return "Not possible in this state";
    case NVML_ERROR_RESET_TYPE_NOT_SUPPORTED:
      return "The type of reset is not supported";
    case NVML_ERROR_UNKNOWN:
      break;
  }
  return "Unknown error";
}

}  // namespace heddle::nvml
