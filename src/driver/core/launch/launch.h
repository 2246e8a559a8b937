// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arguments of a launch function to a grid that can run: now in a stream, or each time
// that a graph is launched. Driver API 6.22.
#pragma once

#include <span>

#include "driver/core/module/module.h"
#include "machine/launch.h"
#include "machine/trap.h"

namespace heddle::driver {

/// What a launch function was given.
struct LaunchRequest {
  machine::Dim3 grid, block;
  u32 dynamic_shared = 0;
  void** params = nullptr;  ///< one pointer for each parameter, or null
  void** extra = nullptr;   ///< CU_LAUNCH_PARAM_* pairs, or null
  std::span<const CUlaunchAttribute> attributes = {};
  u32 multiprocessors = 0;  ///< of the green context; 0: all that the device has
  bool is_of_node = false;  ///< its grid may be empty until the graph is launched
  int priority = 0;         ///< of the stream; an attribute goes before it
};

/// A launch of a function in a context, with a copy of its parameters.
struct KernelTask {
  ContextPtr context;
  FunctionPtr function;
  CUfunction handle = nullptr;                   ///< as the program named the function
  std::optional<machine::CheckedLaunch> launch;  ///< there once the task is made
  u32 multiprocessors = 0;                       ///< as in the request
  bool is_of_node = false;                       ///< the same
  int priority = 0;                              ///< lower goes first
  std::vector<CUlaunchAttribute> attributes;
  std::vector<u8> params;

  const machine::LaunchShape& shape() const { return launch->shape(); }
};

/// Fills `out` with a launch of the function that `handle` means in `context`.
CUresult make_kernel(Context& context, CUfunction handle, const LaunchRequest& request,
                     KernelTask& out);
/// Gives the launch other attributes, if it can have them.
CUresult set_attributes(KernelTask& task, std::vector<CUlaunchAttribute> attributes);
/// Whether there is no block to run.
inline bool is_empty(const machine::Dim3& grid) { return !grid.x || !grid.y || !grid.z; }
/// Runs the grid. What goes wrong becomes the context's error, and is explained on stderr.
void run(const KernelTask& task);

/// The cluster that the kernel's text or an attribute of the function asks for.
std::optional<machine::Dim3> required_cluster(const Function& function);

/// The one place that says what a refused launch is called in the API, and the one for a kernel's
/// fault.
CUresult result_of(machine::LaunchError::Reason reason);
CUresult result_of(machine::TrapKind kind);

}  // namespace heddle::driver
