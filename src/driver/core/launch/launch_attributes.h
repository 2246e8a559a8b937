// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that attributes of a launch set (CUlaunchAttributeID). Driver API 6.22.
#pragma once

#include <optional>
#include <span>

#include "driver/abi.h"
#include "machine/trap.h"

namespace heddle::driver {

struct LaunchOptions {
  bool cooperative = false;
  std::optional<machine::Dim3> cluster = std::nullopt;
  std::optional<int> priority = std::nullopt;
  CUevent event = nullptr;  ///< recorded when the kernel is done
};

/// CUDA_ERROR_NOT_SUPPORTED when Heddle does not support an attribute's value,
/// CUDA_ERROR_INVALID_VALUE when there is no such attribute.
CUresult read_attributes(std::span<const CUlaunchAttribute> attributes, LaunchOptions& out);

}  // namespace heddle::driver
