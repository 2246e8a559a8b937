// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices. Driver API 6.5, 6.6, and the PCI functions of 6.13.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "driver/api.h"
#include "driver/core/context/call.h"
#include "driver/core/context/device.h"
#include "driver/core/memory/tables.h"
#include "driver/core/process.h"
#include "machine/devices.h"

using namespace heddle::driver;
namespace machine = heddle::machine;
using heddle::u32;

namespace {

CUresult copy_text(const char* text, char* to, int room) {
  if (!to || room <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(to, static_cast<std::size_t>(room), "%s", text);
  return CUDA_SUCCESS;
}

CUresult get_uuid(CUuuid* uuid, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    *uuid = device.uuid;
    return CUDA_SUCCESS;
  });
}

// All memory is host memory, so a device has the same atomic operations on memory of the host and
// of other devices. Operations on vectors and 128-bit words are not atomic.
unsigned atomic_capabilities(CUatomicOperation operation) {
  constexpr unsigned kScalar = CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 |
                               CU_ATOMIC_CAPABILITY_SCALAR_64;
  constexpr unsigned kBoth = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
  switch (operation) {
    case CU_ATOMIC_OPERATION_INTEGER_ADD:
    case CU_ATOMIC_OPERATION_INTEGER_MIN:
    case CU_ATOMIC_OPERATION_INTEGER_MAX:
    case CU_ATOMIC_OPERATION_AND:
    case CU_ATOMIC_OPERATION_OR:
    case CU_ATOMIC_OPERATION_XOR:
      return kScalar | kBoth;
    case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
    case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
      return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
             CU_ATOMIC_CAPABILITY_SCALAR_32;
    case CU_ATOMIC_OPERATION_EXCHANGE:
    case CU_ATOMIC_OPERATION_CAS:
      return kBoth | CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
    case CU_ATOMIC_OPERATION_FLOAT_ADD:
      return kScalar | CU_ATOMIC_CAPABILITY_SIGNED;
    default:
      return 0;
  }
}

CUresult give_capabilities(unsigned* capabilities, const CUatomicOperation* operations,
                           unsigned count) {
  if (!capabilities || !operations || !count) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (operations[i] < 0 || operations[i] >= CU_ATOMIC_OPERATION_MAX) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  std::transform(operations, operations + count, capabilities, atomic_capabilities);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return in_driver([&]() -> CUresult {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!heddle::driver::device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return in_driver([&]() -> CUresult {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(devices().size());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return with_device(dev, [&](Device& device) {
    return copy_text(std::string(device.profile.device_name).c_str(), name, len);
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) { return get_uuid(uuid, dev); }
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) { return get_uuid(uuid, dev); }

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    *bytes = device.memory_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    const auto value = device_attribute(device, attrib);
    if (!pi || !value) return CUDA_ERROR_INVALID_VALUE;
    *pi = *value;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    *major = device.major();
    *minor = device.minor();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  return with_device(dev, [&](Device& device) -> CUresult {
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    const auto& profile = device.profile;
    const auto value = [&](CUdevice_attribute a) {
      return device_attribute(device, a).value_or(0);
    };
    prop->maxThreadsPerBlock = static_cast<int>(profile.max_threads_per_block);
    for (int i = 0; i < 3; ++i) {
      prop->maxThreadsDim[i] = static_cast<int>(profile.max_block[i]);
      prop->maxGridSize[i] = static_cast<int>(profile.max_grid[i]);
    }
    prop->sharedMemPerBlock = static_cast<int>(profile.shared_per_block);
    prop->totalConstantMemory = static_cast<int>(profile.constant_bytes);
    prop->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    prop->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    prop->regsPerBlock = static_cast<int>(profile.registers_per_block);
    prop->clockRate = static_cast<int>(profile.clock_khz);
    prop->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  return with_device(dev, [&](Device&) -> CUresult {
    if (!pi || type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX) return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return with_device(dev, [&](Device& device) {
    const auto at = machine::pci_address_of(static_cast<u32>(device.ordinal));
    char text[16];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device,
                  at.function);
    return copy_text(text, pciBusId, len);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  return in_driver([&]() -> CUresult {
    if (!dev || !pciBusId) return CUDA_ERROR_INVALID_VALUE;
    const auto at = machine::parse_pci_address(pciBusId);
    if (!at) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& device : devices()) {
      if (machine::pci_address_of(static_cast<u32>(device->ordinal)) != *at) continue;
      *dev = device->ordinal;
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int* capabilities,
                                           const CUatomicOperation* operations, unsigned int count,
                                           CUdevice dev) {
  return with_device(dev,
                     [&](Device&) { return give_capabilities(capabilities, operations, count); });
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                          const CUatomicOperation* operations, unsigned int count,
                                          CUdevice srcDevice, CUdevice dstDevice) {
  return with_device(srcDevice, [&](Device& source) {
    return with_device(dstDevice, [&](Device& target) -> CUresult {
      if (&source == &target) return CUDA_ERROR_INVALID_DEVICE;
      return give_capabilities(capabilities, operations, count);
    });
  });
}

// Notifications tell of a process that exceeds its share of GPU memory, which does not happen here:
// a callback is registered and is never called.
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc, void*,
                                           CUasyncCallbackHandle* callback) {
  return with_device(device, [&](Device&) -> CUresult {
    if (!callbackFunc || !callback) return CUDA_ERROR_INVALID_VALUE;
    *callback = memory_tables().notifications.add(std::make_shared<CUdevice>(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback) {
  return with_device(device, [&](Device&) -> CUresult {
    const auto found = memory_tables().notifications.find(callback);
    if (!found || *found != device) return CUDA_ERROR_INVALID_VALUE;
    memory_tables().notifications.remove(callback);
    return CUDA_SUCCESS;
  });
}
