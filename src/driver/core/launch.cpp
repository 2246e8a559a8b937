// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h.
#include "driver/core/launch.h"

#include <cstring>

#include "base/config.h"
#include "driver/core/device.h"
#include "driver/core/fault_policy.h"
#include "driver/core/launch_attributes.h"
#include "driver/core/log.h"
#include "driver/core/module_kernels.h"
#include "driver/core/occupancy.h"
#include "driver/core/state.h"
#include "driver/core/trace.h"
#include "machine/launch.h"
#include "machine/pool.h"

namespace heddle::driver {
namespace {

using machine::Dim3;

CUresult result_of_refusal(machine::LaunchError::Reason reason) {
  using Reason = machine::LaunchError::Reason;
  switch (reason) {
    case Reason::invalid_value:
      return CUDA_ERROR_INVALID_VALUE;
    case Reason::invalid_cluster:
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    case Reason::out_of_resources:
      return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case Reason::out_of_memory:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case Reason::not_supported:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_UNKNOWN;
}

/// The shape of the launch.
machine::LaunchConfig configure(const KernelTask& task, const LaunchOptions& options) {
  machine::LaunchConfig config{};
  config.grid = task.grid;
  config.block = task.block;
  config.dynamic_shared = task.dynamic_shared;
  config.cooperative = options.cooperative;
  config.cluster = options.cluster ? options.cluster : required_cluster(*task.function);
  config.large_clusters = task.function->large_clusters;
  return config;
}

/// Says why a launch cannot be; CUDA_SUCCESS: it can.
CUresult check(const KernelTask& task, const LaunchOptions& options) {
  const Function& function = *task.function;
  const auto& profile = function.context()->device().profile;
  const auto& loaded = *function.module().loaded();
  auto config = configure(task, options);
  if (task.is_of_node && is_empty(task.grid)) {  // checked when the graph is launched
    const Dim3 least = config.cluster.value_or(Dim3{1, 1, 1});
    if (!config.grid.x) config.grid.x = least.x;
    if (!config.grid.y) config.grid.y = least.y;
    if (!config.grid.z) config.grid.z = least.z;
  }
  if (const auto why = machine::refuse(profile, loaded, function.id(), config)) {
    say_once("{}", why->message);
    return result_of_refusal(why->reason);
  }
  const auto refuse = [&](CUresult result, const std::string& why) {
    say_once("kernel '{}': {}", function.kernel().name, why);
    return result;
  };
  const auto most_shared = static_cast<u32>(function.max_dynamic_shared);
  if (task.dynamic_shared > most_shared) {
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  fmt::format("{} bytes of dynamic shared memory a block, at most {} possible; "
                              "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES "
                              "(cudaFuncAttributeMaxDynamicSharedMemorySize) changes that",
                              task.dynamic_shared, most_shared));
  }
  if (options.cooperative) {
    const u64 resident =
        u64{task.multiprocessors ? task.multiprocessors : profile.multiprocessors} *
        static_cast<u64>(
            blocks_per_multiprocessor(function, task.block.volume(), task.dynamic_shared));
    if (task.grid.volume() > resident) {
      return refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                    fmt::format("a cooperative launch of {} blocks, at most {} can be resident",
                                task.grid.volume(), resident));
    }
  }
  return CUDA_SUCCESS;
}

struct Extra {
  const void* buffer = nullptr;
  std::size_t size = 0;
};

// The list is (name, value) pairs up to CU_LAUNCH_PARAM_END. False: it has another name.
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

/// Why they cannot be had, or an empty string.
std::string gather_params(const ir::Function& kernel, const LaunchRequest& request,
                          std::vector<u8>& block) {
  const auto& params = kernel.signature.params;
  block.assign(kernel.param_bytes, 0);
  if (request.params && request.extra) return "both kernelParams and extra are given";
  if (request.extra) {
    Extra extra;
    if (!read_extra(request.extra, extra)) return "extra has a name that is not known";
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
    return result_of_refusal(error->reason);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult result_of(machine::TrapKind kind) {
  using machine::TrapKind;
  switch (kind) {
    case TrapKind::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case TrapKind::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case TrapKind::illegal_barrier:
    case TrapKind::membermask:
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
    case TrapKind::not_supported:
      return CUDA_ERROR_NOT_SUPPORTED;
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
  LaunchOptions options;
  if (const CUresult bad = read_attributes(request.attributes, options)) return bad;
  out.context = context.shared_from_this();
  out.function = function;
  out.handle = handle;
  out.grid = request.grid;
  out.block = request.block;
  out.dynamic_shared = request.dynamic_shared;
  out.multiprocessors = request.multiprocessors;
  out.is_of_node = request.is_of_node;
  out.priority = options.priority.value_or(request.priority);
  out.attributes.assign(request.attributes.begin(), request.attributes.end());
  if (const CUresult bad = check(out, options)) return bad;
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

CUresult check(const KernelTask& task) {
  LaunchOptions options;
  if (const CUresult bad = read_attributes(task.attributes, options)) return bad;
  return check(task, options);
}

void run(const KernelTask& task) {
  Context& context = *task.context;
  const auto program = task.function->program();  // made when the task was
  LaunchOptions options;
  read_attributes(task.attributes, options);
  auto config = configure(task, options);
  config.params = task.params;
  config.stack_bytes = static_cast<u32>(
      context.settings([](auto& settings) { return settings.limits[CU_LIMIT_STACK_SIZE]; }));
  const Config& asked = heddle::config();
  config.time_limit = asked.time_limit;
  config.schedule = asked.schedule;
  config.strict_membermasks = asked.strict_membermasks.value_or(false);
  config.cancel = &state().exiting;
  config.runtime = &context.runtime();
  config.on_fault = on_fault_of_environment();
  ModuleKernels kernels(context, task.function->module());
  config.kernels = &kernels;
  const machine::PoolPriority priority(task.priority);
  const TraceLaunch trace(task.function->kernel().name, config, **program);
  const auto result =
      machine::launch(context.device().profile, **program, *task.function->module().loaded(),
                      task.function->id(), config);
  if (state().exiting) return;
  if (const CUresult error = report(result)) context.fail(error);
}

}  // namespace heddle::driver
