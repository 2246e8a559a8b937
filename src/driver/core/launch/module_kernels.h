// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Services of the driver for the kernels of a module: launches of other kernels, and queries of the
// device's numbers.
#pragma once

#include "driver/core/module/module.h"
#include "machine/device_launch.h"

namespace heddle::driver {

/// Lives as long as a launch in `context`.
class ModuleKernels final : public machine::KernelHost {
 public:
  ModuleKernels(Context& context, Module& module) : context_(context), module_(module) {}
  Result<Kernel> kernel(ir::FunctionId id) override;
  std::optional<s64> attribute(u32 name, u32 device) override;
  std::optional<u64> limit(u32 name) override;
  u32 device() const override;
  u32 devices() const override;
  std::optional<u32> occupancy(ir::FunctionId id, u32 threads, u64 dynamic_shared) override;
  /// The limit CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT; none as long as the program has not set
  /// it. Here a child grid begins only when its parent has ended, so more launches are pending than
  /// on a GPU, and the default limit would be too low.
  std::optional<u64> most_pending() const override;
  void run(ir::FunctionId id, const machine::LaunchConfig& config, const machine::Program& program,
           const std::function<void()>& grid) override;

 private:
  FunctionPtr find(ir::FunctionId id);

  Context& context_;
  Module& module_;
};

}  // namespace heddle::driver
