// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h.
#include "driver/core/launch.h"

#include <cstdlib>
#include <cstring>

#include "driver/core/device.h"
#include "driver/core/launch_attributes.h"
#include "driver/core/log.h"
#include "driver/core/occupancy.h"
#include "driver/core/state.h"
#include "driver/core/trace.h"
#include "machine/launch.h"

namespace heddle::driver {
namespace {

using machine::Dim3;

bool is_within(const Dim3& extent, const u32 (&most)[3]) {
  return extent.x && extent.y && extent.z && extent.x <= most[0] && extent.y <= most[1] &&
         extent.z <= most[2];
}

bool is_required_shape(const Dim3& block, const std::array<u32, 3>& required) {
  return !required[0] || (block.x == required[0] && block.y == std::max(required[1], 1u) &&
                          block.z == std::max(required[2], 1u));
}

CUresult check(const KernelTask& task, const LaunchOptions& options) {
  const Function& function = *task.function;
  const auto& profile = function.context()->device().profile;
  const u64 threads = task.block.volume();
  if (!is_within(task.grid, profile.max_grid) || !is_within(task.block, profile.max_block) ||
      threads > profile.max_threads_per_block ||
      !is_required_shape(task.block, function.kernel().req_ntid)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (threads > function.max_threads()) return CUDA_ERROR_INVALID_VALUE;
  if (task.dynamic_shared > static_cast<u32>(function.max_dynamic_shared)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (options.cooperative) {
    const u64 resident =
        u64{task.multiprocessors ? task.multiprocessors : profile.multiprocessors} *
        static_cast<u64>(blocks_per_multiprocessor(function, threads, task.dynamic_shared));
    if (task.grid.volume() > resident) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return CUDA_SUCCESS;
}

struct Extra {
  const void* buffer = nullptr;
  std::size_t size = 0;
};

// The list is (name, value) pairs up to CU_LAUNCH_PARAM_END.
CUresult read_extra(void** extra, Extra& out) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      out.buffer = extra[1];
    } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1]) {
      out.size = *static_cast<const std::size_t*>(extra[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

CUresult gather_params(const ir::Function& kernel, const LaunchRequest& request,
                       std::vector<u8>& block) {
  const auto& params = kernel.signature.params;
  block.assign(kernel.param_bytes, 0);
  if (request.params && request.extra) return CUDA_ERROR_INVALID_VALUE;
  if (request.extra) {
    Extra extra;
    if (const CUresult bad = read_extra(request.extra, extra)) return bad;
    const u64 needed = params.empty() ? 0 : params.back().offset + params.back().size;
    if (extra.size < needed || (needed && !extra.buffer)) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(block.data(), extra.buffer, std::min<u64>(extra.size, block.size()));
    return CUDA_SUCCESS;
  }
  if (!params.empty() && !request.params) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!request.params[i]) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(block.data() + params[i].offset, request.params[i], params[i].size);
  }
  return CUDA_SUCCESS;
}

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

// Seconds after which a kernel is stopped; 0: never.
double time_limit() {
  const char* text = std::getenv("HEDDLE_TIME_LIMIT");
  return text ? parse_time_limit(text).value_or(0) : 0;
}

// The order of turns that the environment asks for (machine/schedule.h).
std::optional<u64> schedule() {
  static const auto seed = [] {
    const char* text = std::getenv("HEDDLE_SCHEDULE");
    auto parsed = machine::parse_schedule(text && *text ? text : "fast");
    if (!parsed.ok()) say("HEDDLE_SCHEDULE: {}", parsed.error().message);
    return parsed.ok() ? *parsed : std::nullopt;
  }();
  return seed;
}

}  // namespace

std::optional<double> parse_time_limit(const char* text) {
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end || !(seconds >= 0)) return {};
  return seconds;
}

CUresult result_of(machine::TrapKind kind) {
  using machine::TrapKind;
  switch (kind) {
    case TrapKind::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case TrapKind::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case TrapKind::illegal_barrier:
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

namespace {

/// The shape of it.
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

CUresult check_cluster(const KernelTask& task, const LaunchOptions& options) {
  const auto& kernel = task.function->kernel();
  const std::string why =
      machine::refuse_cluster(task.context->device().profile, kernel, configure(task, options));
  if (why.empty()) return CUDA_SUCCESS;
  say("kernel '{}': {}", kernel.name, why);
  return CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

}  // namespace

CUresult make_kernel(Context& context, CUfunction handle, const LaunchRequest& request,
                     KernelTask& out) {
  const auto function = find_function(context, handle);
  if (!function || function->context() != &context) return CUDA_ERROR_INVALID_HANDLE;
  LaunchOptions options;
  if (const CUresult bad = read_attributes(request.attributes, options)) return bad;
  out.context = context.shared_from_this();
  out.function = function;
  out.handle = handle;
  out.grid = request.grid;
  out.block = request.block;
  out.dynamic_shared = request.dynamic_shared;
  out.multiprocessors = request.multiprocessors;
  out.attributes.assign(request.attributes.begin(), request.attributes.end());
  if (const CUresult bad = check(out, options)) return bad;
  if (const CUresult bad = gather_params(function->kernel(), request, out.params)) return bad;
  const auto program = function->program();
  if (!program.ok()) {
    say("{}", program.error().message);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return check_cluster(out, options);
}

CUresult check(const KernelTask& task) {
  LaunchOptions options;
  if (const CUresult bad = read_attributes(task.attributes, options)) return bad;
  if (const CUresult bad = check(task, options)) return bad;
  return check_cluster(task, options);
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
  config.time_limit = time_limit();
  config.schedule = schedule();
  config.cancel = &state().exiting;
  config.runtime = &context.runtime();
  const TraceLaunch trace(task.function->kernel().name, config, **program);
  const auto result =
      machine::launch(context.device().profile, **program, *task.function->module().loaded(),
                      task.function->id(), config);
  if (state().exiting) return;
  if (const CUresult error = report(result)) context.fail(error);
}

}  // namespace heddle::driver
