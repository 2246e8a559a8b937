// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See smi_fields.h.
#include "cli/smi_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle::cli {
namespace {

/// The result of a function that gives a number.
template <class Number>
std::string number(nvmlReturn_t (*function)(nvmlDevice_t, Number*), nvmlDevice_t device) {
  Number value{};
  return function(device, &value) == NVML_SUCCESS ? fmt::format("{}", value) : kNotAvailable;
}

/// The result of a function that gives a text.
std::string text(nvmlReturn_t (*function)(nvmlDevice_t, char*, unsigned), nvmlDevice_t device) {
  char value[96] = {};  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
  return function(device, value, sizeof value) == NVML_SUCCESS ? value : kNotAvailable;
}

template <auto kFunction>
std::string number_of(nvmlDevice_t device) {
  return number(kFunction, device);
}
template <auto kFunction>
std::string text_from(nvmlDevice_t device) {
  return text(kFunction, device);
}

template <auto kFunction>
std::string mode_of(nvmlDevice_t device) {
  nvmlEnableState_t state;
  if (kFunction(device, &state) != NVML_SUCCESS) return kNotAvailable;
  return state == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled";
}

template <auto kFunction, nvmlClockType_t kType>
std::string clock_of(nvmlDevice_t device) {
  unsigned value = 0;
  return kFunction(device, kType, &value) == NVML_SUCCESS ? fmt::format("{}", value)
                                                          : kNotAvailable;
}

template <auto kMember>
std::string memory_of(nvmlDevice_t device) {
  nvmlMemory_t memory;
  if (nvmlDeviceGetMemoryInfo(device, &memory) != NVML_SUCCESS) return kNotAvailable;
  return fmt::format("{}", memory.*kMember >> 20);
}

template <auto kMember>
std::string utilization_of(nvmlDevice_t device) {
  nvmlUtilization_t rates;
  if (nvmlDeviceGetUtilizationRates(device, &rates) != NVML_SUCCESS) return kNotAvailable;
  return fmt::format("{}", rates.*kMember);
}

std::string bus_of(nvmlDevice_t device) {
  nvmlPciInfo_t pci;
  return nvmlDeviceGetPciInfo_v3(device, &pci) == NVML_SUCCESS ? pci.busId : kNotAvailable;
}

std::string capability_of(nvmlDevice_t device) {
  int major = 0, minor = 0;
  if (nvmlDeviceGetCudaComputeCapability(device, &major, &minor) != NVML_SUCCESS)
    return kNotAvailable;
  return fmt::format("{}.{}", major, minor);
}

std::string compute_mode_of(nvmlDevice_t device) {
  nvmlComputeMode_t mode;
  const bool known = nvmlDeviceGetComputeMode(device, &mode) == NVML_SUCCESS;
  return known && mode == NVML_COMPUTEMODE_DEFAULT ? "Default" : kNotAvailable;
}

std::string ecc_of(nvmlDevice_t device) {
  nvmlEnableState_t now, next;
  if (nvmlDeviceGetEccMode(device, &now, &next) != NVML_SUCCESS) return kNotAvailable;
  return now == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled";
}

std::string mig_of(nvmlDevice_t device) {
  unsigned now = 0, next = 0;
  if (nvmlDeviceGetMigMode(device, &now, &next) != NVML_SUCCESS) return kNotAvailable;
  return now == NVML_DEVICE_MIG_ENABLE ? "Enabled" : "Disabled";
}

std::string temperature_of(nvmlDevice_t device) {
  unsigned value = 0;
  return nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS
             ? fmt::format("{}", value)
             : kNotAvailable;
}

std::string power_of(nvmlDevice_t device) {
  unsigned milliwatts = 0;
  return nvmlDeviceGetPowerUsage(device, &milliwatts) == NVML_SUCCESS
             ? fmt::format("{:.2f}", milliwatts / 1000.0)
             : kNotAvailable;
}

constexpr Field kFields[] = {
    {"name", "Product Name", "", text_from<nvmlDeviceGetName>},
    {"index", "Index", "", number_of<nvmlDeviceGetIndex>},
    {"uuid", "GPU UUID", "", text_from<nvmlDeviceGetUUID>},
    {"serial", "Serial Number", "", text_from<nvmlDeviceGetSerial>},
    {"pci.bus_id", "Bus Id", "", bus_of},
    {"driver_version", "Driver Version", "", [](nvmlDevice_t) { return driver_version(); }},
    {"count", "Attached GPUs", "", [](nvmlDevice_t) { return device_count(); }},
    {"compute_cap", "Compute Capability", "", capability_of},
    {"compute_mode", "Compute Mode", "", compute_mode_of},
    {"persistence_mode", "Persistence Mode", "", mode_of<nvmlDeviceGetPersistenceMode>},
    {"mig.mode.current", "MIG Mode", "", mig_of},
    {"ecc.mode.current", "ECC Mode", "", ecc_of},
    {"memory.total", "Memory Total", "MiB", memory_of<&nvmlMemory_t::total>},
    {"memory.used", "Memory Used", "MiB", memory_of<&nvmlMemory_t::used>},
    {"memory.free", "Memory Free", "MiB", memory_of<&nvmlMemory_t::free>},
    {"utilization.gpu", "GPU Utilization", "%", utilization_of<&nvmlUtilization_t::gpu>},
    {"utilization.memory", "Memory Utilization", "%", utilization_of<&nvmlUtilization_t::memory>},
    {"clocks.sm", "SM Clock", "MHz", clock_of<nvmlDeviceGetClockInfo, NVML_CLOCK_SM>},
    {"clocks.mem", "Memory Clock", "MHz", clock_of<nvmlDeviceGetClockInfo, NVML_CLOCK_MEM>},
    {"clocks.max.sm", "Largest SM Clock", "MHz",
     clock_of<nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM>},
    {"clocks.max.memory", "Largest Memory Clock", "MHz",
     clock_of<nvmlDeviceGetMaxClockInfo, NVML_CLOCK_MEM>},
    {"pcie.link.gen.current", "PCIe Generation", "",
     number_of<nvmlDeviceGetCurrPcieLinkGeneration>},
    {"pcie.link.gen.max", "Largest PCIe Generation", "",
     number_of<nvmlDeviceGetMaxPcieLinkGeneration>},
    {"pcie.link.width.current", "PCIe Link Width", "", number_of<nvmlDeviceGetCurrPcieLinkWidth>},
    {"pcie.link.width.max", "Largest PCIe Link Width", "",
     number_of<nvmlDeviceGetMaxPcieLinkWidth>},
    {"temperature.gpu", "Temperature", "C", temperature_of},
    {"power.draw", "Power Draw", "W", power_of},
    {"fan.speed", "Fan Speed", "%", number_of<nvmlDeviceGetFanSpeed>},
};

struct Alias {
  std::string_view name, means;
};
constexpr Alias kAliases[] = {
    {"gpu_name", "name"},
    {"gpu_uuid", "uuid"},
    {"gpu_serial", "serial"},
    {"gpu_bus_id", "pci.bus_id"},
    {"clocks.gr", "clocks.sm"},
    {"clocks.current.sm", "clocks.sm"},
    {"clocks.current.graphics", "clocks.sm"},
    {"clocks.current.memory", "clocks.mem"},
    {"clocks.max.graphics", "clocks.max.sm"},
    {"clocks.max.mem", "clocks.max.memory"},
};

}  // namespace

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) name = alias.means;
  }
  const auto found = std::ranges::find(kFields, name, &Field::name);
  return found == std::end(kFields) ? nullptr : found;
}

/// The value with its unit.
std::string shown(const Field& field, nvmlDevice_t device) {
  const std::string value = field.value(device);
  return field.unit.empty() || value == kNotAvailable ? value
                                                      : fmt::format("{} {}", value, field.unit);
}

std::string driver_version() {
  char version[80] = {};
  return nvmlSystemGetDriverVersion(version, sizeof version) == NVML_SUCCESS ? version
                                                                             : kNotAvailable;
}

std::string cuda_version() {
  int version = 0;
  nvmlSystemGetCudaDriverVersion_v2(&version);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string device_count() {
  unsigned count = 0;
  nvmlDeviceGetCount_v2(&count);
  return fmt::format("{}", count);
}

}  // namespace heddle::cli
