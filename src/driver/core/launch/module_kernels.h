// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of a module get from the driver when they launch kernels, or ask
// for numbers of the device.
#pragma once

#include "driver/core/module/module.h"
#include "machine/device_launch.h"

namespace heddle::driver {

/// For the time of a launch in `context`.
class ModuleKernels final : public machine::KernelHost {
 public:
  ModuleKernels(Context& context, Module& module) : context_(context), module_(module) {}
  Result<Kernel> kernel(ir::FunctionId id) override;
  std::optional<s64> attribute(u32 name, u32 device) override;
  std::optional<u64> limit(u32 name) override;
  u32 device() const override;
  u32 devices() const override;
  std::optional<u32> occupancy(ir::FunctionId id, u32 threads, u64 dynamic_shared) override;
  /// None as long as the program has not set that limit: here no launch begins
  /// before its parent has ended, so more of them wait than on a GPU.
  std::optional<u64> most_pending() const override;
  void run(ir::FunctionId id, const machine::LaunchConfig& config, const machine::Program& program,
           const std::function<void()>& grid) override;

 private:
  FunctionPtr find(ir::FunctionId id);

  Context& context_;
  Module& module_;
};

}  // namespace heddle::driver
