// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/core/launch/module_kernels.h"

#include <fmt/format.h>

#include "driver/core/context/device.h"
#include "driver/core/launch/launch.h"
#include "driver/core/launch/occupancy.h"
#include "driver/core/module/module.h"
#include "driver/core/process.h"
#include "driver/core/trace.h"

namespace heddle::driver {

FunctionPtr ModuleKernels::find(ir::FunctionId id) {
  return find_function(context_, module_.function(module_.ir().functions[id.value].name));
}

Result<machine::KernelHost::Kernel> ModuleKernels::kernel(ir::FunctionId id) {
  const FunctionPtr function = find(id);
  if (!function) return Error{"the kernel's module has been unloaded"};
  auto program = function->program();
  if (!program.ok()) return program.error();
  return Kernel{std::move(*program), static_cast<u32>(function->max_dynamic_shared),
                required_cluster(*function), function->large_clusters};
}

std::optional<s64> ModuleKernels::attribute(u32 name, u32 device) {
  if (device >= devices()) return std::nullopt;
  return device_attribute(*driver::devices()[device], static_cast<CUdevice_attribute>(name));
}

std::optional<u64> ModuleKernels::limit(u32 name) {
  if (name >= CU_LIMIT_MAX) return std::nullopt;
  return context_.settings([&](auto& settings) { return settings.limits[name]; });
}

u32 ModuleKernels::device() const { return static_cast<u32>(context_.device().ordinal); }
u32 ModuleKernels::devices() const { return static_cast<u32>(driver::devices().size()); }

std::optional<u32> ModuleKernels::occupancy(ir::FunctionId id, u32 threads, u64 dynamic_shared) {
  const FunctionPtr function = find(id);
  if (!function) return std::nullopt;
  return static_cast<u32>(blocks_per_multiprocessor(*function, threads, dynamic_shared));
}

std::optional<u64> ModuleKernels::most_pending() const {
  constexpr u32 kLimit = CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT;
  const u64 most = context_.settings([](auto& settings) { return settings.limits[kLimit]; });
  return most == kPendingLaunches ? std::nullopt : std::optional(most);
}

void ModuleKernels::run(ir::FunctionId id, const machine::LaunchConfig& config,
                        const machine::Program& program, const std::function<void()>& grid) {
  const TraceLaunch trace(module_.ir().functions[id.value].name, config, config, program);
  grid();
}

}  // namespace heddle::driver
