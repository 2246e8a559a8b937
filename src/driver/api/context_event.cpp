// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of a whole context. Driver API 6.8 (cuCtxRecordEvent, cuCtxWaitEvent). An event of a
// primary context covers the streams of its green contexts, too.
#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/stream/context_marks.h"
#include "driver/core/stream/event.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;

namespace {

/// Runs `body(view, event)` when no stream of the context is captured.
template <class Body>
CUresult with_event(CUcontext handle, CUevent event_handle, Body body) {
  return in_driver([&]() -> CUresult {
    const auto view = find_view(handle);
    const auto event = stream_tables().events.find(event_handle);
    if (!view.context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult error = view.context->error()) return error;
    const CUresult bad = view.green ? refuse_while_capturing(*view.green->streams())
                                    : refuse_while_capturing(*view.context);
    return bad ? bad : body(view, *event);
  });
}

std::vector<StreamPtr> streams_of(const ContextView& view) {
  return view.green ? view.green->streams()->all() : view.context->all_streams();
}

}  // namespace

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](const ContextView& view, Event& event) {
    return record_all(*view.context, streams_of(view), event);
  });
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) {
  return with_event(hCtx, hEvent, [](const ContextView& view, Event& event) -> CUresult {
    if (event.recorded().capture) return CUDA_ERROR_CAPTURED_EVENT;
    view.legacy_stream();  // makes it when no call has used it yet
    return wait_in_all(streams_of(view), event);
  });
}
