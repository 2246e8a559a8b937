// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams. Driver API 6.18.
#include "driver/api.h"
#include "driver/core/call.h"

using namespace heddle::driver;

namespace {

/// Runs `body(context, stream)` for a stream handle of the current context's point of view.
template <class Body>
CUresult with_stream(CUstream handle, Body body) {
  return in_context([&](Context& context) -> CUresult {
    const auto stream = context.stream(handle);
    return stream ? body(context, *stream) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <class T>
CUresult give(T* out, T value) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = value;
  return CUDA_SUCCESS;
}

CUresult create(CUstream* phStream, unsigned flags, int priority) {
  return in_context([&](Context& context) -> CUresult {
    if (!phStream || (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *phStream = state().streams.add(context.create_stream(flags, priority));
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags) {
  return create(phStream, Flags, 0);
}

// There is one priority, 0; any other is clamped to it.
CUresult cuStreamCreateWithPriority(CUstream* phStream, unsigned int flags, int) {
  return create(phStream, flags, 0);
}

CUresult cuStreamDestroy(CUstream hStream) { return cuStreamDestroy_v2(hStream); }

// Does not wait: what is in the stream still runs.
CUresult cuStreamDestroy_v2(CUstream hStream) {
  return in_context([&](Context&) -> CUresult {
    const auto stream = state().streams.remove(hStream);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    stream->close();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamQuery(CUstream hStream) {
  return with_stream(hStream, [](Context&, Stream& stream) -> CUresult {
    return stream.is_idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return with_stream(hStream, [](Context& context, Stream& stream) -> CUresult {
    // The legacy stream's work comes after that of the blocking streams, also what is not queued
    // yet.
    stream.kind() == Stream::Kind::legacy ? stream.run([] {}) : stream.synchronize();
    return context.error();
  });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return with_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    const auto event = state().events.find(hEvent);
    if (!event) return CUDA_ERROR_INVALID_HANDLE;
    if (Flags != CU_EVENT_WAIT_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
    if (auto done = event->captured().done; done && !done->is_done()) {
      context.enqueue(stream, [] {}, {std::move(done)});
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
  return with_stream(
      hStream, [&](Context&, Stream& stream) { return give(pctx, stream.context()->handle()); });
}

CUresult cuStreamGetDevice(CUstream hStream, CUdevice* device) {
  return with_stream(hStream, [&](Context&, Stream& stream) {
    return give<CUdevice>(device, stream.context()->device().ordinal);
  });
}

// Unlike a host function, a callback runs after an error too, and is told of it.
CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void* userData,
                             unsigned int flags) {
  return with_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
    stream.enqueue([context = context.shared_from_this(), hStream, callback, userData] {
      const InCallback scope;
      callback(hStream, context->error(), userData);
    });
    return CUDA_SUCCESS;
  });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void* userData) {
  return with_stream(hStream, [&](Context& context, Stream& stream) -> CUresult {
    if (!fn) return CUDA_ERROR_INVALID_VALUE;
    context.enqueue(stream, [fn, userData] {
      const InCallback scope;
      fn(userData);
    });
    return CUDA_SUCCESS;
  });
}

// Managed memory is always everywhere here: there is nothing to attach.
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                unsigned int flags) {
  return with_stream(hStream, [&](Context&, Stream&) -> CUresult {
    const bool one_flag = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                          flags == CU_MEM_ATTACH_SINGLE;
    const auto found = state().allocations.find(dptr);
    const bool managed = found && found->kind == Allocation::Kind::managed;
    const bool whole = managed && (length == 0 || length == found->size) && dptr == found->base;
    return one_flag && whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
