// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device queries: how many devices there are, their handles, and what tells one from another.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {
namespace {

/// GPU-8-4-4-4-12 hexadecimal digits.
std::string uuid_text(u32 ordinal) {
  std::string text = "GPU";
  const auto uuid = machine::uuid_of(*devices().profile, ordinal);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

/// Gives the handle of the first device for which `is_it(ordinal)` holds.
template <class F>
nvmlReturn_t find_device(nvmlDevice_t* device, F is_it) {
  for (u32 i = 0; i < devices().count; ++i) {
    if (!is_it(i)) continue;
    *device = device_at(i);
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t give_number(u32 number, unsigned int* to) {
  *to = number;
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t nvmlDeviceGetCount(unsigned int* deviceCount) {
  return give_number(devices().count, deviceCount);
}
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* deviceCount) {
  return give_number(devices().count, deviceCount);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t* device) {
  const nvmlDevice_t found = device_at(index);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  *device = found;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByIndex(index, device);
}

// No device has a serial number.
nvmlReturn_t nvmlDeviceGetHandleBySerial(const char*, nvmlDevice_t*) {
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  return find_device(device, [&](u32 ordinal) { return uuid_text(ordinal) == uuid; });
}

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t* uuid, nvmlDevice_t* device) {
  if (uuid->version != nvmlUUID_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  switch (uuid->type) {
    case NVML_UUID_TYPE_ASCII: {
      const char* const text = uuid->value.str;
      const std::string_view wanted(text, strnlen(text, sizeof uuid->value.str));
      return find_device(device, [&](u32 ordinal) { return uuid_text(ordinal) == wanted; });
    }
    case NVML_UUID_TYPE_BINARY:
      return find_device(device, [&](u32 ordinal) {
        const auto own = machine::uuid_of(*devices().profile, ordinal);
        return std::memcmp(own.data(), uuid->value.bytes, own.size()) == 0;
      });
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* pciBusId, nvmlDevice_t* device) {
  const auto at = machine::parse_pci_address(pciBusId);
  if (!at) return NVML_ERROR_INVALID_ARGUMENT;
  return find_device(device, [&](u32 i) { return machine::pci_address_of(i) == *at; });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* pciBusId, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByPciBusId(pciBusId, device);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t, char* name, unsigned int length) {
  return give_text(devices().profile->device_name, name, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  return give_text(uuid_text(device->ordinal), uuid, length);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int* index) {
  return give_number(device->ordinal, index);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int* minorNumber) {
  return give_number(device->ordinal, minorNumber);
}

// Each device is a board of its own.
nvmlReturn_t nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned int* boardId) {
  return give_number(device->ordinal, boardId);
}

nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t, unsigned int* multiGpuBool) {
  return give_number(0, multiGpuBool);
}

nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t device1, nvmlDevice_t device2, int* onSameBoard) {
  *onSameBoard = device1 == device2;
  return NVML_SUCCESS;
}

}  // namespace heddle::nvml
