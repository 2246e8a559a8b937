// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions for streams and events that are not forwarded to the driver. Runtime API 6.4, 6.5.
#include <memory>

#include "driver/api.h"
#include "runtime/bodies.h"
#include "runtime/core/context.h"
#include "runtime/core/default_stream.h"

namespace heddle::runtime {
namespace {

/// A callback of the runtime, whose status is a runtime error.
struct Callback {
  cudaStreamCallback_t function;
  void* data;

  static void call(CUstream stream, CUresult status, void* self) {
    const std::unique_ptr<Callback> callback(static_cast<Callback*>(self));
    callback->function(stream, from_driver(status), callback->data);
  }
};

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return in_context([&] { return cuStreamCreate(pStream, CU_STREAM_DEFAULT); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return in_context([&] { return cuEventCreate(event, CU_EVENT_DEFAULT); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* userData, unsigned int flags) {
  if (!callback) return cudaErrorInvalidValue;
  auto* translated = new Callback{callback, userData};  // the call frees it
  const cudaError_t error = in_context(
      [&] { return cuStreamAddCallback(stream_of(stream), Callback::call, translated, flags); });
  if (error) delete translated;
  return error;
}

}  // namespace heddle::runtime
