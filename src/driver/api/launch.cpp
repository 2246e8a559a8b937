// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels. Driver API 6.22.
#include "driver/core/launch/launch.h"
#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/launch/launch_attributes.h"
#include "driver/core/log.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;

namespace {

// A launch attribute may name an event to record. In a capture the event stands for the kernel's
// node.
CUresult record_event(CUevent handle, Stream& stream) {
  const auto event = stream_tables().events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  bool captured = false;
  const CUresult result = capture_record(*event, stream, captured);
  if (result == CUDA_SUCCESS && !captured) event->record(stream);
  return result;
}

CUlaunchAttribute cooperative_attribute() {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  return cooperative;
}

CUresult launch_in(CUfunction f, CUstream handle, LaunchRequest request) {
  bool found = false;
  const CUresult result = in_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    found = stream.context() == &context;
    if (!found) return CUDA_ERROR_INVALID_HANDLE;
    request.multiprocessors = stream.group().multiprocessors();
    request.priority = stream.priority();
    KernelTask task;
    if (const CUresult bad = make_kernel(context, f, request, task)) return bad;
    LaunchOptions options;
    read_attributes(request.attributes, options);
    if (options.event && !stream_tables().events.find(options.event)) {
      say_once("a launch attribute names no event");
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (const CUresult bad = submit(context, stream, std::move(task))) return bad;
    return options.event ? record_event(options.event, stream) : CUDA_SUCCESS;
  });
  if (!found && result == CUDA_ERROR_INVALID_HANDLE)
    say_once("a launch names no stream of the current context");
  return result;
}

/// One of the grids of a launch on several devices.
struct TeamLaunch {
  ContextPtr context;
  StreamPtr stream;
  KernelTask task;
};

CUresult make_team(const CUDA_LAUNCH_PARAMS& params, TeamLaunch& out) {
  // A default stream, which is not allowed, is not in the table.
  out.stream = stream_tables().streams.find(params.hStream);
  if (!out.stream) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult bad = refuse_in_capture(*out.stream)) return bad;
  out.context = out.stream->context()->shared_from_this();
  if (const CUresult error = out.context->error()) return error;
  const CUlaunchAttribute cooperative = cooperative_attribute();
  return make_kernel(*out.context, params.function,
                     {.grid = {params.gridDimX, params.gridDimY, params.gridDimZ},
                      .block = {params.blockDimX, params.blockDimY, params.blockDimZ},
                      .dynamic_shared = params.sharedMemBytes,
                      .params = params.kernelParams,
                      .attributes = {&cooperative, 1},
                      .multiprocessors = out.stream->group().multiprocessors()},
                     out.task);
}

/// The same kernel in the same shape, on another device.
bool go_together(const TeamLaunch& a, const TeamLaunch& b) {
  const auto& x = a.task.function->kernel();
  const auto& y = b.task.function->kernel();
  const auto &p = a.task.shape(), &q = b.task.shape();
  return &a.context->device() != &b.context->device() && x.name == y.name &&
         x.insts.size() == y.insts.size() && p.grid == q.grid && p.block == q.block &&
         p.dynamic_shared == q.dynamic_shared;
}

/// Makes each stream wait for the work that is in all of the streams now.
void join(const std::vector<TeamLaunch>& team) {
  std::vector<CompletionPtr> all;
  for (const TeamLaunch& each : team) {
    if (auto last = each.stream->last(); last && !last->is_done()) all.push_back(std::move(last));
  }
  for (const TeamLaunch& each : team) each.stream->mark(all);
}

}  // namespace

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  return launch_in(f, hStream,
                   {.grid = {gridDimX, gridDimY, gridDimZ},
                    .block = {blockDimX, blockDimY, blockDimZ},
                    .dynamic_shared = sharedMemBytes,
                    .params = kernelParams,
                    .extra = extra});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  if (!config || (config->numAttrs && !config->attrs)) {
    return in_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return launch_in(f, config->hStream,
                   {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                    .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                    .dynamic_shared = config->sharedMemBytes,
                    .params = kernelParams,
                    .extra = extra,
                    .attributes = {config->attrs, config->numAttrs}});
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void** kernelParams) {
  const CUlaunchAttribute cooperative = cooperative_attribute();
  return launch_in(f, hStream,
                   {.grid = {gridDimX, gridDimY, gridDimZ},
                    .block = {blockDimX, blockDimY, blockDimZ},
                    .dynamic_shared = sharedMemBytes,
                    .params = kernelParams,
                    .attributes = {&cooperative, 1}});
}

// Deprecated. The grids run at the same time, each on its stream's thread.
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* launchParamsList,
                                              unsigned int numDevices, unsigned int flags) {
  return in_context([&](Context&) -> CUresult {
    constexpr unsigned kKnown = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                                CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    if (!launchParamsList || !numDevices || (flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
    std::vector<TeamLaunch> team(numDevices);
    for (unsigned i = 0; i < numDevices; ++i) {
      if (const CUresult bad = make_team(launchParamsList[i], team[i])) return bad;
      for (unsigned j = 0; j < i; ++j) {
        if (!go_together(team[j], team[i])) return CUDA_ERROR_INVALID_VALUE;
      }
    }
    if (!(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC)) join(team);
    for (TeamLaunch& each : team) {
      if (const CUresult bad = submit(*each.context, *each.stream, std::move(each.task))) {
        return bad;
      }
    }
    if (!(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC)) join(team);
    return CUDA_SUCCESS;
  });
}
