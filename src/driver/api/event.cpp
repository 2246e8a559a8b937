// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events. Driver API 6.19.
#include "driver/core/stream/event.h"
#include "driver/api.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;

namespace {

template <class Body>
CUresult with_event(CUevent handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto event = stream_tables().events.find(handle);
    return event ? body(context, *event) : CUDA_ERROR_INVALID_HANDLE;
  });
}

// An event that was recorded in a capture has no state to query: a graph records it at each of its
// launches.
CUresult check_not_captured(const Event& event) {
  return event.recorded().capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}

CUresult elapsed(float* pMilliseconds, CUevent hStart, CUevent hEnd) {
  return with_event(hStart, [&](Context&, Event& start) -> CUresult {
    const auto end = stream_tables().events.find(hEnd);
    if (!end) return CUDA_ERROR_INVALID_HANDLE;
    if (!pMilliseconds) return CUDA_ERROR_INVALID_VALUE;
    if ((start.flags() | end->flags()) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult bad = check_not_captured(start)) return bad;
    if (const CUresult bad = check_not_captured(*end)) return bad;
    const auto from = start.recorded().done;
    const auto to = end->recorded().done;
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
    std::shared_ptr<SharedMark> shared;
    if (Flags & CU_EVENT_INTERPROCESS) {
      if (!(Flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
      shared = SharedMark::create();
      if (!shared) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *phEvent =
        stream_tables().events.add(std::make_shared<Event>(&context, Flags, std::move(shared)));
    return CUDA_SUCCESS;
  });
}

CUresult cuEventDestroy(CUevent hEvent) { return cuEventDestroy_v2(hEvent); }

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return in_context([&](Context&) -> CUresult {
    return stream_tables().events.remove(hEvent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

// In a capture, CU_EVENT_RECORD_EXTERNAL makes a node that records the event at each launch.
CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    const auto event = stream_tables().events.find(hEvent);
    if (!event || stream.context() != event->context()) return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~static_cast<unsigned>(CU_EVENT_RECORD_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_RECORD_EXTERNAL) {
      if (!is_capturing(stream)) return CUDA_ERROR_INVALID_VALUE;
      return submit(context, stream, RecordEventTask{event, hEvent});
    }
    bool captured = false;
    if (const CUresult bad = capture_record(*event, stream, captured); bad || captured) return bad;
    event->record(stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventQuery(CUevent hEvent) {
  return with_event(hEvent, [](Context&, Event& event) -> CUresult {
    if (const CUresult bad = check_not_captured(event)) return bad;
    if (const CUresult bad = refuse_unsafe()) return bad;
    return event.is_done() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return with_event(hEvent, [](Context& context, Event& event) -> CUresult {
    if (const CUresult bad = check_not_captured(event)) return bad;
    if (const CUresult bad = refuse_unsafe()) return bad;
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
