// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels: from the arguments of a launch function to a task, which runs in a stream,
// or at each launch of a graph. Driver API 6.22.
#pragma once

#include <span>

#include "driver/core/module/module.h"
#include "machine/launch.h"
#include "machine/trap.h"

namespace heddle::driver {

/// The arguments of a launch function.
struct LaunchRequest {
  machine::Dim3 grid, block;
  u32 dynamic_shared = 0;
  void** params = nullptr;  ///< one pointer for each parameter, or null
  void** extra = nullptr;   ///< CU_LAUNCH_PARAM_* pairs, or null
  std::span<const CUlaunchAttribute> attributes = {};
  u32 multiprocessors = 0;  ///< multiprocessors of the green context; 0: all of the device
  /// The launch belongs to a graph's node, whose grid may be empty until the graph is launched.
  bool is_of_node = false;
  int priority = 0;  ///< priority of the stream; a launch attribute overrides it
};

/// A launch of a function in a context, with a copy of its parameters.
struct KernelTask {
  ContextPtr context;
  FunctionPtr function;
  CUfunction handle = nullptr;                   ///< as the program named the function
  std::optional<machine::CheckedLaunch> launch;  ///< set once the task is made
  u32 multiprocessors = 0;                       ///< LaunchRequest::multiprocessors
  bool is_of_node = false;                       ///< LaunchRequest::is_of_node
  int priority = 0;                              ///< lower numbers run first
  std::vector<CUlaunchAttribute> attributes;
  std::vector<u8> params;

  const machine::LaunchShape& shape() const { return launch->shape(); }
};

/// Makes a launch of the function of `handle` in `context`.
CUresult make_kernel(Context& context, CUfunction handle, const LaunchRequest& request,
                     KernelTask& out);
/// Replaces the attributes of the launch when the new ones are valid.
CUresult set_attributes(KernelTask& task, std::vector<CUlaunchAttribute> attributes);
/// Whether the grid has no blocks.
inline bool is_empty(const machine::Dim3& grid) { return !grid.x || !grid.y || !grid.z; }
/// Runs the grid. A trap becomes the context's error, and is explained on stderr.
void run(const KernelTask& task);

/// The cluster that the kernel's text or an attribute of the function asks for.
std::optional<machine::Dim3> required_cluster(const Function& function);

/// The API's error code of a refused launch, and that of a kernel's trap.
CUresult result_of(machine::LaunchError::Reason reason);
CUresult result_of(machine::TrapKind kind);

}  // namespace heddle::driver
