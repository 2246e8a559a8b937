// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of this process, from cuInit to the end: its devices and their memory.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "driver/abi.h"
#include "machine/memory.h"

namespace heddle::driver {

struct Device;

/// Set by cuInit, constant from then on. Never destroyed: threads of the program may still be in a
/// call when the process ends.
const std::vector<std::unique_ptr<Device>>& devices();
/// The device of a handle; null: no such device.
Device* device(CUdevice handle);
/// Of all devices: every address means the same on each.
machine::Memory& device_memory();

/// Set when the process ends: kernels under way stop.
const std::atomic<bool>& exiting();

/// Makes the devices, once. CUDA_ERROR_NO_DEVICE, with the reason on stderr, when HEDDLE_DEVICE or
/// HEDDLE_DEVICES make no sense or there is no address space for a device's memory.
/// CUDA_ERROR_NOT_INITIALIZED in the child of a fork that came behind it, as on a GPU, and
/// CUDA_ERROR_DEINITIALIZED when the process ends.
CUresult initialize();
/// CUDA_ERROR_NOT_INITIALIZED before initialize() and in such a child; CUDA_ERROR_DEINITIALIZED
/// when handlers of atexit() run that were registered before it, and in destructors of static
/// objects that were made before; else CUDA_SUCCESS.
CUresult why_not_ready();

}  // namespace heddle::driver
