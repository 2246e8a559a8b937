// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events. Driver API 6.19.
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_event(CUevent handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto event = state().events.find(handle);
    return event ? body(context, *event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult elapsed(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return with_event(hStart, [&](Context&, Event& start) -> CUresult {
    const auto end = state().events.find(hEnd);
    if (!end) return CUDA_ERROR_INVALID_HANDLE;
    if (!pMilliseconds) return CUDA_ERROR_INVALID_VALUE;
    if ((start.flags() | end->flags()) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    const auto from = start.captured().done;
    const auto to = end->captured().done;
    if (!from || !to) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->is_done() || !to->is_done()) return CUDA_ERROR_NOT_READY;
    *pMilliseconds = std::chrono::duration<float, std::milli>(to->time() - from->time()).count();
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return in_context([&](Context& context) -> CUresult {
    constexpr unsigned kKnown =
        CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (!phEvent || (Flags & ~kKnown)) return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_EVENT_INTERPROCESS) {
      return Flags & CU_EVENT_DISABLE_TIMING ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    }
    *phEvent = state().events.add(std::make_shared<Event>(&context, Flags));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent hEvent) { return cuEventDestroy_v2(hEvent); }

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return in_context([&](Context&) -> CUresult {
    return state().events.remove(hEvent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return with_event(hEvent, [&](Context& context, Event& event) -> CUresult {
    const auto stream = context.stream(hStream);
    if (!stream || stream->context() != event.context()) return CUDA_ERROR_INVALID_HANDLE;
    if (flags != CU_EVENT_RECORD_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
    event.record(*stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventQuery(CUevent hEvent) {
  return with_event(hEvent, [](Context&, Event& event) -> CUresult {
    return event.is_done() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return with_event(hEvent, [](Context& context, Event& event) -> CUresult {
    event.synchronize();
    return context.error();
  });
}

CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return elapsed(pMilliseconds, hStart, hEnd);
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return elapsed(pMilliseconds, hStart, hEnd);
}
