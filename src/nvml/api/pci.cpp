// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device queries: the place on the PCI bus and the link to the host.
#include <cstdio>
#include <cstring>
#include <iterator>

#include "nvml/bodies.h"
#include "nvml/core/library.h"

namespace heddle::nvml {
namespace {

// The device ids are 0, as those of cuDeviceGetAttribute.
nvmlPciInfo_t pci_info(nvmlDevice_t device) {
  const auto at = machine::pci_address_of(device->ordinal);
  nvmlPciInfo_t pci{};
  pci.domain = at.domain;
  pci.bus = at.bus;
  pci.device = at.device;
  std::snprintf(pci.busIdLegacy, sizeof pci.busIdLegacy, "%04X:%02X:%02X.%X", at.domain & 0xffff,
                at.bus & 0xff, at.device & 0x1f, at.function & 7);
  std::snprintf(pci.busId, sizeof pci.busId, "%08X:%02X:%02X.%X", at.domain, at.bus, at.device,
                at.function);
  return pci;
}

/// The link does not change its speed, so its values are the largest ones.
nvmlReturn_t give_link(u32 value, unsigned int* to) {
  if (!value) return NVML_ERROR_NOT_SUPPORTED;
  *to = value;
  return NVML_SUCCESS;
}
nvmlReturn_t give_generation(unsigned int* to) {
  return give_link(devices().profile->pcie_generation, to);
}
nvmlReturn_t give_width(unsigned int* to) { return give_link(devices().profile->pcie_width, to); }

}  // namespace

// The structure of the first version ended in front of the subsystem's id, that of the second one
// behind it; both had reserved words then.
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  const nvmlPciInfo_t whole = pci_info(device);
  std::memcpy(pci, &whole, offsetof(nvmlPciInfo_t, pciSubSystemId));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  const nvmlPciInfo_t whole = pci_info(device);
  std::memcpy(pci, &whole, offsetof(nvmlPciInfo_t, busId));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  *pci = pci_info(device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t* pci) {
  // The class of PCI devices that accelerate 3D graphics and have no display.
  constexpr unsigned kDisplayController = 3, k3dController = 2;
  if (pci->version != nvmlPciInfoExt_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  const nvmlPciInfo_t info = pci_info(device);
  pci->domain = info.domain;
  pci->bus = info.bus;
  pci->device = info.device;
  pci->pciDeviceId = info.pciDeviceId;
  pci->pciSubSystemId = info.pciSubSystemId;
  pci->baseClass = kDisplayController;
  pci->subClass = k3dController;
  std::memcpy(pci->busId, info.busId, sizeof pci->busId);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t, unsigned int* maxLinkGen) {
  return give_generation(maxLinkGen);
}
nvmlReturn_t nvmlDeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t, unsigned int* maxLinkGenDevice) {
  return give_generation(maxLinkGenDevice);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t, unsigned int* currLinkGen) {
  return give_generation(currLinkGen);
}
// NVML_PCIE_LINK_MAX_SPEED_2500MBPS and the others are numbered as the generations are.
nvmlReturn_t nvmlDeviceGetPcieLinkMaxSpeed(nvmlDevice_t, unsigned int* maxSpeed) {
  return give_generation(maxSpeed);
}
/// In megabits a second and lane.
nvmlReturn_t nvmlDeviceGetPcieSpeed(nvmlDevice_t, unsigned int* pcieSpeed) {
  constexpr u32 kOfGeneration[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};
  const u32 generation = devices().profile->pcie_generation;
  return give_link(generation < std::size(kOfGeneration) ? kOfGeneration[generation] : 0,
                   pcieSpeed);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t, unsigned int* maxLinkWidth) {
  return give_width(maxLinkWidth);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t, unsigned int* currLinkWidth) {
  return give_width(currLinkWidth);
}

}  // namespace heddle::nvml
