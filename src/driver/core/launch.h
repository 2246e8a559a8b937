// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arguments of a launch function to a grid that runs in a stream. Driver API 6.22.
#pragma once

#include "driver/core/module.h"
#include "driver/core/stream.h"
#include "machine/trap.h"

namespace heddle::driver {

struct LaunchRequest {
  machine::Dim3 grid, block;
  u32 dynamic_shared = 0;
  void** params = nullptr;  ///< one pointer for each parameter, or null
  void** extra = nullptr;   ///< CU_LAUNCH_PARAM_* pairs, or null
  bool cooperative = false;
  std::optional<machine::Dim3> cluster = std::nullopt;  ///< what the launch itself says
};

/// Checks the request and appends the grid to the stream. What goes wrong while it runs becomes the
/// context's error, and is explained on stderr.
CUresult launch(Context& context, const FunctionPtr& function, Stream& stream,
                const LaunchRequest& request);

/// The cluster that the kernel's text or an attribute of the function asks for.
std::optional<machine::Dim3> required_cluster(const Function& function);

/// The one place that says what a kernel's fault is called in the API.
CUresult result_of(machine::TrapKind kind);

}  // namespace heddle::driver
