// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of a whole context. Driver API 6.8 (cuCtxRecordEvent, cuCtxWaitEvent).
#include "driver/api.h"
#include "driver/core/in_stream.h"

using namespace heddle::driver;

namespace {

/// Runs `body(context, event)` when no stream of the context is captured.
template <class Body>
CUresult with_event(CUcontext handle, CUevent event_handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto context = state().contexts.find(handle);
    const auto event = state().events.find(event_handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult error = context->error()) return error;
    if (const CUresult bad = refuse_while_capturing(*context)) return bad;
    return body(*context, *event);
  });
}

}  // namespace

// A stream that nobody else knows waits for what is in all the others.
CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](Context& context, Event& event) -> CUresult {
    if (event.context() != &context) return CUDA_ERROR_INVALID_HANDLE;
    std::vector<CompletionPtr> all;
    for (const auto& stream : context.streams()->all()) {
      if (auto last = stream->last(); last && !last->is_done()) all.push_back(std::move(last));
    }
    const auto gather = context.create_stream(CU_STREAM_NON_BLOCKING, 0);
    event.record(gather->enqueue([] {}, std::move(all)));
    gather->close();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](Context& context, Event& event) -> CUresult {
    const auto recorded = event.recorded();
    if (recorded.capture) return CUDA_ERROR_CAPTURED_EVENT;
    if (!recorded.done || recorded.done->is_done()) return CUDA_SUCCESS;
    context.stream(CU_STREAM_LEGACY);  // which may not have been used yet
    for (const auto& stream : context.streams()->all()) {
      context.enqueue(*stream, [] {}, {recorded.done});
    }
    return CUDA_SUCCESS;
  });
}
