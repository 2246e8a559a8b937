// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams. Driver API 6.18.
#include "driver/api.h"
#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/green_context.h"
#include "driver/core/context/tables.h"
#include "driver/core/memory/allocation.h"
#include "driver/core/memory/ipc.h"
#include "driver/core/stream/in_stream.h"
#include "driver/core/stream/tables.h"

using namespace heddle::driver;

namespace {

CUresult create(CUstream* phStream, unsigned flags, int priority) {
  return in_context([&](Context& context) -> CUresult {
    if (!phStream || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const GreenContext* const green = current_green();
    *phStream = stream_tables().streams.add(
        context.create_stream(flags, priority, green ? green->streams() : nullptr));
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return create(phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int priority) {
  return create(phStream, flags, priority);
}

CUresult cuStreamDestroy(CUstream hStream) { return cuStreamDestroy_v2(hStream); }

// The call does not wait. Work that is in the stream still runs.
CUresult cuStreamDestroy_v2(CUstream hStream) {
  return in_context([&](Context&) -> CUresult {
    const auto stream = stream_tables().streams.remove(hStream);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    leave_capture(*stream);
    stream->close();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamQuery(CUstream hStream) {
  return in_stream(hStream, [](Context&, Stream& stream) -> CUresult {
    if (const CUresult bad = refuse_in_capture(stream)) return bad;
    return stream.is_idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return in_stream(hStream, [](Context& context, Stream& stream) -> CUresult {
    if (const CUresult bad = refuse_in_capture(stream)) return bad;
    // The legacy stream waits for the blocking streams even when its own queue is empty.
    stream.kind() == Stream::Kind::legacy ? stream.run([] {}) : stream.synchronize();
    return context.error();
  });
}

// In a capture, CU_EVENT_WAIT_EXTERNAL makes a node that waits for an event recorded outside of the
// graph.
CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    const auto event = stream_tables().events.find(hEvent);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (Flags & ~static_cast<unsigned>(CU_EVENT_WAIT_EXTERNAL)) return CUDA_ERROR_INVALID_VALUE;
    if (Flags & CU_EVENT_WAIT_EXTERNAL) {
      if (!is_capturing(stream)) return CUDA_ERROR_INVALID_VALUE;
      return submit(context, stream, WaitEventTask{event, hEvent});
    }
    bool captured = false;
    if (const CUresult bad = capture_wait(*event, stream, captured); bad || captured) return bad;
    if (const auto& shared = event->shared()) {
      context.enqueue(stream, [shared, number = shared->recorded()] { shared->wait(number); });
    } else if (auto done = event->recorded().done; done && !done->is_done()) {
      stream.mark({std::move(done)});
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int* flags) {
  return with_stream(hStream,
                     [&](Context&, Stream& stream) { return give(flags, stream.flags()); });
}

CUresult cuStreamGetPriority(CUstream hStream, int* priority) {
  return with_stream(hStream,
                     [&](Context&, Stream& stream) { return give(priority, stream.priority()); });
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long* streamId) {
  return with_stream(hStream,
                     [&](Context&, Stream& stream) { return give(streamId, stream.id()); });
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext* pctx) {
  return with_stream(hStream, [&](Context&, Stream& stream) {
    const auto green = context_tables().green_contexts.find(stream.group().green());
    return give(pctx, green ? green->view() : stream.context()->handle());
  });
}

CUresult cuStreamGetCtx_v2(CUstream hStream, CUcontext* pCtx, CUgreenCtx* pGreenCtx) {
  return with_stream(hStream, [&](Context&, Stream& stream) -> CUresult {
    if (!pCtx) return CUDA_ERROR_INVALID_VALUE;
    *pCtx = stream.context()->handle();
    if (pGreenCtx) *pGreenCtx = stream.group().green();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return with_stream(hStream, [&](Context&, Stream& stream) {
    return give<CUdevice>(device, stream.context()->device().ordinal);
  });
}

// Unlike a host function, a callback also runs after an error, and gets the error.
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData,
                             unsigned int flags) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult bad = refuse_in_capture(stream)) return bad;
    stream.enqueue([context = context.shared_from_this(), hStream, callback, userData] {
      const InCallback scope;
      callback(hStream, context->error(), userData);
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return in_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    return fn ? submit(context, stream, HostTask{fn, userData}) : CUDA_ERROR_INVALID_VALUE;
  });
}

// Managed memory is always accessible on the host and all devices, so there is nothing to attach.
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  return with_stream(hStream, [&](Context&, Stream&) -> CUresult {
    const bool one_flag = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                          flags == CU_MEM_ATTACH_SINGLE;
    const auto found = allocations().find(dptr);
    const bool managed = found && found->is_managed();
    const bool whole = managed && (length == 0 || length == found->size) && dptr == found->base;
    return one_flag && whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
