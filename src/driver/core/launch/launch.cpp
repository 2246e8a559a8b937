// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h.
#include "driver/core/launch/launch.h"

#include <cstring>

#include "base/config.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/launch/launch_attributes.h"
#include "driver/core/launch/module_kernels.h"
#include "driver/core/launch/occupancy.h"
#include "driver/core/log.h"
#include "driver/core/module/module.h"
#include "driver/core/process.h"
#include "driver/core/trace.h"
#include "engine/fault_policy.h"
#include "machine/device_use.h"
#include "machine/launch.h"
#include "machine/pool.h"

namespace heddle::driver {
namespace {

using machine::Dim3;

machine::LaunchLimits limits_of(const KernelTask& task, const machine::LaunchShape& shape) {
  const Function& function = *task.function;
  machine::LaunchLimits limits;
  limits.dynamic_shared = static_cast<u32>(function.max_dynamic_shared);
  limits.empty_grid = task.is_of_node;  // checked when the graph is launched
  if (shape.cooperative) {
    const u32 all = function.context()->device().profile.multiprocessors;
    limits.resident = u64{task.multiprocessors ? task.multiprocessors : all} *
                      static_cast<u64>(blocks_per_multiprocessor(function, shape.block.volume(),
                                                                 shape.dynamic_shared));
  }
  return limits;
}

/// Sets the launch of the task, or prints why the launch is not valid.
CUresult check(KernelTask& task, const Dim3& grid, const Dim3& block, u32 dynamic_shared,
               std::span<const CUlaunchAttribute> attributes) {
  LaunchOptions options;
  if (const CUresult bad = read_attributes(attributes, options)) return bad;
  const Function& function = *task.function;
  machine::LaunchShape shape{grid, block};
  shape.cluster = options.cluster ? options.cluster : required_cluster(function);
  shape.large_clusters = function.large_clusters;
  shape.dynamic_shared = dynamic_shared;
  shape.cooperative = options.cooperative;
  const auto checked =
      machine::check_launch(function.context()->device().profile, *function.module().loaded(),
                            function.id(), shape, limits_of(task, shape));
  if (!checked.ok()) {
    say_once("{}", checked.error().message);
    return result_of(checked.error().reason);
  }
  task.launch = *checked;
  return CUDA_SUCCESS;
}

struct Extra {
  const void* buffer = nullptr;
  std::size_t size = 0;
};

// Reads the list: pairs of name and value, up to CU_LAUNCH_PARAM_END. False: a name is unknown.
bool read_extra(void** extra, Extra& out) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      out.buffer = extra[1];
    } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1]) {
      out.size = *static_cast<const std::size_t*>(extra[1]);
    } else {
      return false;
    }
  }
  return true;
}

/// Gathers the parameters. Returns the reason when that is not possible, else an empty string.
std::string gather_params(const ir::Function& kernel, const LaunchRequest& request,
                          std::vector<u8>& block) {
  const auto& params = kernel.signature.params;
  block.assign(kernel.param_bytes, 0);
  if (request.params && request.extra) return "both kernelParams and extra are given";
  if (request.extra) {
    Extra extra;
    if (!read_extra(request.extra, extra)) return "extra has an unknown name";
    const u64 needed = params.empty() ? 0 : params.back().offset + params.back().size;
    if (extra.size < needed || (needed && !extra.buffer)) {
      return fmt::format("{} bytes of parameters given, {} needed", extra.buffer ? extra.size : 0,
                         needed);
    }
    std::memcpy(block.data(), extra.buffer, std::min<u64>(extra.size, block.size()));
    return {};
  }
  if (!params.empty() && !request.params)
    return fmt::format("no parameters given, {} needed", params.size());
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!request.params[i]) return fmt::format("the pointer to parameter {} is null", i);
    std::memcpy(block.data() + params[i].offset, request.params[i], params[i].size);
  }
  return {};
}

CUresult report(const machine::LaunchResult& result) {
  if (const auto* trap = std::get_if<machine::Trap>(&result)) {
    say("{}", machine::describe(*trap));
    return result_of(trap->kind);
  }
  if (const auto* error = std::get_if<machine::LaunchError>(&result)) {
    say("{}", error->message);
    return result_of(error->reason);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult result_of(machine::LaunchError::Reason reason) {
  using Reason = machine::LaunchError::Reason;
  switch (reason) {
    case Reason::invalid_value:
      return CUDA_ERROR_INVALID_VALUE;
    case Reason::invalid_cluster:
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    case Reason::too_large_to_cooperate:
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    case Reason::out_of_memory:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case Reason::not_supported:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_UNKNOWN;
}

CUresult result_of(machine::TrapKind kind) {
  using machine::TrapKind;
  switch (kind) {
    case TrapKind::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case TrapKind::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case TrapKind::illegal_barrier:
    case TrapKind::membermask:
    case TrapKind::tensor_memory:
    case TrapKind::tensor_map:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case TrapKind::illegal_call:
      return CUDA_ERROR_INVALID_PC;
    case TrapKind::stack_overflow:
      return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case TrapKind::trap_instruction:
      return CUDA_ERROR_LAUNCH_FAILED;
    case TrapKind::breakpoint:
      return CUDA_ERROR_LAUNCH_FAILED;
    case TrapKind::time_limit:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case TrapKind::deadlock:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case TrapKind::assertion:
      return CUDA_ERROR_ASSERT;
    case TrapKind::tensor_memory_leak:
      return CUDA_ERROR_TENSOR_MEMORY_LEAK;
  }
  return CUDA_ERROR_UNKNOWN;
}

std::optional<Dim3> required_cluster(const Function& function) {
  const auto& declared = function.kernel().req_nctapercluster;
  u32 size[3];
  for (std::size_t i = 0; i < 3; ++i)
    size[i] = declared[0] ? declared[i] : function.cluster[i].load();
  if (!size[0]) return std::nullopt;
  return Dim3{size[0], std::max(size[1], 1u), std::max(size[2], 1u)};
}

CUresult make_kernel(Context& context, CUfunction handle, const LaunchRequest& request,
                     KernelTask& out) {
  const auto function = find_function(context, handle);
  if (!function || function->context() != &context) {
    say_once("a launch names no kernel of the current context");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (const CUresult bad = function->module().publish_references()) return bad;
  out.context = context.shared_from_this();
  out.function = function;
  out.handle = handle;
  out.multiprocessors = request.multiprocessors;
  out.is_of_node = request.is_of_node;
  if (const CUresult bad =
          check(out, request.grid, request.block, request.dynamic_shared, request.attributes))
    return bad;
  LaunchOptions options;
  read_attributes(request.attributes, options);
  out.priority = options.priority.value_or(request.priority);
  out.attributes.assign(request.attributes.begin(), request.attributes.end());
  if (const std::string why = gather_params(function->kernel(), request, out.params);
      !why.empty()) {
    say_once("kernel '{}': {}", function->kernel().name, why);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto program = function->program();
  if (program.ok()) return CUDA_SUCCESS;
  say_once("{}", program.error().message);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult set_attributes(KernelTask& task, std::vector<CUlaunchAttribute> attributes) {
  const machine::LaunchShape shape = task.shape();
  if (const CUresult bad = check(task, shape.grid, shape.block, shape.dynamic_shared, attributes))
    return bad;
  task.attributes = std::move(attributes);
  return CUDA_SUCCESS;
}

void run(const KernelTask& task) {
  Context& context = *task.context;
  const auto program = task.function->program();  // made with the task
  const Config& asked = config();
  machine::RunOptions options;
  options.params = task.params;
  options.stack_bytes = static_cast<u32>(
      context.settings([](auto& settings) { return settings.limits[CU_LIMIT_STACK_SIZE]; }));
  options.time_limit = asked.time_limit;
  options.schedule = asked.schedule;
  options.strict_membermasks = asked.strict_membermasks.value_or(false);
  options.cancel = &exiting();
  options.runtime = &context.runtime();
  options.on_fault =
      engine::on_fault_of_environment([](const std::string& text) { say("{}", text); });
  ModuleKernels kernels(context, task.function->module());
  options.kernels = &kernels;
  const machine::PoolPriority priority(task.priority);
  const TraceLaunch trace(task.function->kernel().name, task.shape(), options, **program);
  const machine::ShownKernel shown(static_cast<u32>(context.device().ordinal));
  const auto result = machine::launch(*task.launch, **program, std::move(options));
  if (exiting()) return;
  if (const CUresult error = report(result)) context.fail(error);
}

}  // namespace heddle::driver
