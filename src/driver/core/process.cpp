// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See process.h. Devices are made once, by cuInit.
#include "driver/core/process.h"

#include <pthread.h>

#include <bit>
#include <cstdlib>
#include <string>

#include "base/config.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/log.h"
#include "driver/core/memory/virtual_memory.h"
#include "engine/engine.h"
#include "machine/device_use.h"
#include "machine/devices.h"

namespace heddle::driver {
namespace {

/// The error code of calls that need the driver while it is not ready.
std::atomic<CUresult> refusal{CUDA_ERROR_NOT_INITIALIZED};
/// Whether this process is the child of a fork after cuInit. The child has the memory of the
/// parent's driver, but not its threads.
std::atomic<bool> forked{false};

struct Process {
  std::vector<std::unique_ptr<Device>> devices;
  std::unique_ptr<machine::Memory> memory;
  std::atomic<bool> exiting{false};
};
Process& process() {
  static Process& instance = *new Process;
  return instance;
}

CUresult no_device(const std::string& why) {
  say("no device: {}", why);
  return CUDA_ERROR_NO_DEVICE;
}

/// Runs when the process ends, after the atexit() handlers that were registered after cuInit and
/// before those that were registered before it.
void stop_kernels() {
  if (forked) return;
  process().exiting = true;
  for (const auto& device : devices()) {
    if (const auto& context = device->primary.context) context->synchronize();
  }
  refusal = CUDA_ERROR_DEINITIALIZED;
}

void begin_child() {
  forked = true;
  refusal = CUDA_ERROR_NOT_INITIALIZED;
}

CUresult make_devices() {
  complain_about_environment();
  const auto asked = machine::devices_of_environment();
  if (!asked.ok()) return no_device(asked.error().message);
  const auto [profile, count, bytes] = *asked;
  if (!count) return CUDA_ERROR_NO_DEVICE;

  auto memory = machine::Memory::create(bytes * count);
  if (!memory.ok()) return no_device(memory.error().message);
  process().memory = std::move(*memory);
  device_memory().multimem().on_missing = [](u64 address) { virtual_memory().refresh(address); };
  for (u32 i = 0; i < count; ++i) {
    process().devices.push_back(
        std::make_unique<Device>(static_cast<int>(i), *profile, bytes, engine::make_engine(),
                                 std::bit_cast<CUuuid>(machine::uuid_of(*profile, i))));
  }
  machine::enter_device_table(*profile);
  std::atexit(stop_kernels);
  pthread_atfork(nullptr, nullptr, begin_child);
  return CUDA_SUCCESS;
}

}  // namespace

const std::vector<std::unique_ptr<Device>>& devices() { return process().devices; }
machine::Memory& device_memory() { return *process().memory; }
const std::atomic<bool>& exiting() { return process().exiting; }

CUresult initialize() {
  if (forked) return CUDA_ERROR_NOT_INITIALIZED;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (refusal == CUDA_ERROR_NOT_INITIALIZED) {
    if (const CUresult why = make_devices()) return why;
    refusal = CUDA_SUCCESS;
  }
  return refusal;
}

CUresult why_not_ready() { return refusal.load(std::memory_order_acquire); }

Device* device(CUdevice handle) {
  const auto index = static_cast<std::size_t>(handle);
  return handle >= 0 && index < devices().size() ? devices()[index].get() : nullptr;
}

}  // namespace heddle::driver
