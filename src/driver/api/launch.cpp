// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching kernels. Driver API 6.22.
#include "driver/core/launch.h"
#include "driver/api.h"
#include "driver/core/in_stream.h"
#include "driver/core/launch_attributes.h"

using namespace heddle::driver;

namespace {

// An attribute may want an event to be recorded. In a capture the event stands for the kernel's
// node.
CUresult record_event(CUevent handle, Stream& stream) {
  const auto event = state().events.find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  bool captured = false;
  const CUresult result = capture_record(*event, stream, captured);
  if (result == CUDA_SUCCESS && !captured) event->record(stream);
  return result;
}

CUresult launch_in(CUfunction f, CUstream handle, LaunchRequest request) {
  return in_stream(handle, [&](Context& context, Stream& stream) -> CUresult {
    if (stream.context() != &context) return CUDA_ERROR_INVALID_HANDLE;
    request.multiprocessors = stream.group().multiprocessors();
    KernelTask task;
    if (const CUresult bad = make_kernel(context, f, request, task)) return bad;
    LaunchOptions options;
    read_attributes(request.attributes, options);
    if (options.event && !state().events.find(options.event)) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult bad = submit(context, stream, std::move(task))) return bad;
    return options.event ? record_event(options.event, stream) : CUDA_SUCCESS;
  });
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
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  return launch_in(f, hStream,
                   {.grid = {gridDimX, gridDimY, gridDimZ},
                    .block = {blockDimX, blockDimY, blockDimZ},
                    .dynamic_shared = sharedMemBytes,
                    .params = kernelParams,
                    .attributes = {&cooperative, 1}});
}
