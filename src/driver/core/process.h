// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of this process, from cuInit to the end of the process: its devices and their memory.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "driver/abi.h"
#include "machine/memory.h"

namespace heddle::driver {

struct Device;

/// The devices. cuInit sets them, and they are constant from then on. They are never destroyed,
/// because threads of the program may still be in a call when the process ends.
const std::vector<std::unique_ptr<Device>>& devices();
/// The device of a handle; null: no such device.
Device* device(CUdevice handle);
/// The memory of all devices. An address means the same memory on each of them.
machine::Memory& device_memory();

/// True when the process ends; kernels under way stop then.
const std::atomic<bool>& exiting();

/// Makes the devices, once. CUDA_ERROR_NO_DEVICE, with the reason on stderr, when HEDDLE_DEVICE or
/// HEDDLE_DEVICES has a wrong value or there is no address space for a device's memory. As on a
/// GPU, CUDA_ERROR_NOT_INITIALIZED in a child that was forked after the first call, and
/// CUDA_ERROR_DEINITIALIZED when the process ends.
CUresult initialize();
/// CUDA_ERROR_NOT_INITIALIZED before initialize() and in such a child. CUDA_ERROR_DEINITIALIZED in
/// handlers of atexit() that were registered before initialize(), and in destructors of static
/// objects that were made before it. Else CUDA_SUCCESS.
CUresult why_not_ready();

}  // namespace heddle::driver
