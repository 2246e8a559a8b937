// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `heddle smi` can say of a device: the fields of nvidia-smi's --query-gpu that Heddle's
// devices have, as text. A value that a device does not have is kNotAvailable.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "nvml/api.h"

namespace heddle::cli {

inline constexpr const char* kNotAvailable = "[N/A]";

struct Field {
  std::string_view name;   ///< what --query-gpu takes
  std::string_view label;  ///< what -q prints
  std::string_view unit;   ///< may be empty
  std::string (*value)(nvmlDevice_t device);
};
std::span<const Field> fields();
/// By name, or by another name that nvidia-smi has for the field. Null: there is none.
const Field* find_field(std::string_view name);
/// The value with its unit.
std::string shown(const Field& field, nvmlDevice_t device);

/// The values that are not those of a device.
std::string driver_version();
std::string cuda_version();
std::string device_count();

}  // namespace heddle::cli
