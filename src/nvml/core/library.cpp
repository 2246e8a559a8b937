// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See library.h.
#include "nvml/core/library.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/config.h"

namespace heddle::nvml {
namespace {

std::mutex mutex;  // for changes
std::atomic<u32> count_of_inits{0};
std::optional<machine::Devices> found;

constexpr auto kHandles = [] {
  std::array<nvmlDevice_st, kMaxDevices> all{};
  for (u32 i = 0; i < all.size(); ++i) all[i].ordinal = i;
  return all;
}();

/// The environment does not change after the first call, so the result does not either.
const machine::Devices& find_devices() {
  if (found) return *found;
  complain_about_environment();
  const auto asked = machine::devices_of_environment();
  if (!asked.ok()) fmt::print(stderr, "heddle: no device: {}\n", asked.error().message);
  found = asked.ok() ? *asked : machine::Devices{nullptr, 0, 0};
  return *found;
}

}  // namespace

bool is_initialized() { return count_of_inits.load(std::memory_order_acquire) != 0; }

nvmlReturn_t initialize(bool without_devices) {
  const std::lock_guard lock(mutex);
  if (!find_devices().count && !without_devices) return NVML_ERROR_DRIVER_NOT_LOADED;
  ++count_of_inits;
  return NVML_SUCCESS;
}

nvmlReturn_t shut_down() {
  const std::lock_guard lock(mutex);
  if (!count_of_inits) return NVML_ERROR_UNINITIALIZED;
  --count_of_inits;
  return NVML_SUCCESS;
}

const machine::Devices& devices() { return *found; }

// Handles are compared and never written through; the type of a handle is a pointer to non-const.
nvmlDevice_t device_at(u64 ordinal) {
  return ordinal < devices().count ? const_cast<nvmlDevice_t>(&kHandles[ordinal]) : nullptr;
}

bool is_device(nvmlDevice_t device) {
  const u64 offset = reinterpret_cast<u64>(device) - reinterpret_cast<u64>(kHandles.data());
  return offset % sizeof(nvmlDevice_st) == 0 && offset / sizeof(nvmlDevice_st) < devices().count;
}

nvmlReturn_t give_text(std::string_view text, char* to, std::size_t length) {
  if (text.size() >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = 0;
  return NVML_SUCCESS;
}

}  // namespace heddle::nvml
