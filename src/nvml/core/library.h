// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the library in this process: how often it was initialised, and the devices. The
// exports (nvml/exports.cpp, made by scripts/nvmlgen.py) check with these functions before they
// call a body.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "machine/devices.h"
#include "nvml/abi.h"

/// What a handle points to.
struct nvmlDevice_st {
  heddle::u32 ordinal;
};

namespace heddle::nvml {

/// Between a successful nvmlInit and the nvmlShutdown that belongs to it.
bool is_initialized();
/// Counts an nvmlInit. NVML_ERROR_DRIVER_NOT_LOADED, with the reason on stderr, when HEDDLE_DEVICE
/// or HEDDLE_DEVICES has a wrong value, unless `without_devices`: then the library works and has no
/// device.
nvmlReturn_t initialize(bool without_devices);
nvmlReturn_t shut_down();

/// Valid from the first nvmlInit on. CUDA_VISIBLE_DEVICES hides none of them.
const machine::Devices& devices();
/// Null: there is no such device.
nvmlDevice_t device_at(u64 ordinal);
bool is_device(nvmlDevice_t device);

/// Copies a text with its final zero. NVML_ERROR_INSUFFICIENT_SIZE when it does not fit into
/// `length` bytes.
nvmlReturn_t give_text(std::string_view text, char* to, std::size_t length);

}  // namespace heddle::nvml
