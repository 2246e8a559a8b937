// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Event handling and field values. Hardware has events and counters, and Heddle's devices have
// none: a set of events can be made, and nothing happens in it.
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "nvml/bodies.h"
#include "nvml/core/library.h"

struct nvmlEventSet_st {};

namespace heddle::nvml {
namespace {

struct Sets {
  std::mutex mutex;
  std::unordered_map<nvmlEventSet_t, std::unique_ptr<nvmlEventSet_st>> alive;
};
Sets& sets() {
  static Sets& instance = *new Sets;
  return instance;
}

bool is_set(nvmlEventSet_t set) {
  const std::lock_guard lock(sets().mutex);
  return sets().alive.contains(set);
}

}  // namespace

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  auto made = std::make_unique<nvmlEventSet_st>();
  *set = made.get();
  const std::lock_guard lock(sets().mutex);
  sets().alive.emplace(*set, std::move(made));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  const std::lock_guard lock(sets().mutex);
  return sets().alive.erase(set) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t, unsigned long long* eventTypes) {
  *eventTypes = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t, unsigned long long eventTypes,
                                      nvmlEventSet_t set) {
  if (!is_set(set)) return NVML_ERROR_INVALID_ARGUMENT;
  return eventTypes ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t*, unsigned int timeoutms) {
  if (!is_set(set)) return NVML_ERROR_INVALID_ARGUMENT;
  std::this_thread::sleep_for(std::chrono::milliseconds(timeoutms));
  return NVML_ERROR_TIMEOUT;
}
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data,
                                 unsigned int timeoutms) {
  return nvmlEventSetWait(set, data, timeoutms);
}

// Each value has a result of its own.
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t, int valuesCount, nvmlFieldValue_t* values) {
  if (valuesCount <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < valuesCount; ++i) values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

}  // namespace heddle::nvml
